//! The body of an admin request, whole and within its limits.

use std::time::Duration;

use bytes::Bytes;
use bytes::BytesMut;
use http_body_util::BodyExt as _;
use hyper::body::Body;

use crate::reset::Refusal;

/// How long a client may take to send it.
const WAIT: Duration = Duration::from_secs(30);
/// How much of what is too large is read all the same: closing on a client that still sends would take the refusal from it.
const HEARD_OUT: usize = 16 << 20;

/// Reads a body of at most `limit` bytes.
pub(super) async fn read<B>(mut body: B, limit: usize) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::fmt::Display,
{
    let whole = async {
        let (mut kept, mut heard) = (BytesMut::new(), 0_usize);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| unreadable(&format!("the body ended early: {error}")))?;
            let Ok(data) = frame.into_data() else { continue };
            heard = heard.saturating_add(data.len());
            if heard <= limit {
                kept.extend_from_slice(&data);
            } else if heard > HEARD_OUT {
                break;
            }
        }
        if heard > limit {
            return Err(Refusal::TooLarge { limit });
        }
        Ok(kept.freeze())
    };
    match tokio::time::timeout(WAIT, whole).await {
        Ok(read) => read,
        Err(_) => Err(unreadable("the body did not come in time")),
    }
}

fn unreadable(problem: &str) -> Refusal {
    Refusal::InvalidRequest(vec![problem.to_owned()])
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn a_body_is_taken_up_to_its_limit() {
        let body = |size| Full::new(Bytes::from(vec![b'x'; size]));
        assert_eq!(read(body(10), 10).await.map(|body| body.len()), Ok(10));
        assert_eq!(read(body(11), 10).await, Err(Refusal::TooLarge { limit: 10 }));
        assert_eq!(
            read(body(HEARD_OUT + 1), 10).await,
            Err(Refusal::TooLarge { limit: 10 })
        );
    }
}
