//! Bodies of answers, all of a length that is known before.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use bytes::Bytes;
use hyper::body::Frame;
use hyper::body::SizeHint;

use crate::metrics::PlainText;

/// The body of an answer.
#[derive(Debug)]
pub struct Body(Form);

#[derive(Debug)]
enum Form {
    Pieces {
        pieces: std::vec::IntoIter<Bytes>,
        left: u64,
    },
    Plain(Box<PlainText>),
}

impl Body {
    /// Nothing.
    pub fn empty() -> Self {
        Self::pieces(Vec::new())
    }

    /// Ready bytes in pieces, which are not copied.
    pub fn pieces(pieces: Vec<Bytes>) -> Self {
        let left = pieces.iter().map(|piece| piece.len() as u64).sum();
        Self(Form::Pieces {
            pieces: pieces.into_iter(),
            left,
        })
    }

    /// Text that is inflated while it is read.
    pub fn plain(text: PlainText) -> Self {
        Self(Form::Plain(Box::new(text)))
    }

    fn left(&self) -> u64 {
        match &self.0 {
            Form::Pieces { left, .. } => *left,
            Form::Plain(text) => text.left(),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(whole: T) -> Self {
        Self::pieces(vec![whole.into()])
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.0 {
            Form::Pieces { pieces, left } => {
                let piece = pieces.next();
                *left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
                piece
            }
            Form::Plain(text) => text.next(),
        };
        Poll::Ready(next.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left())
    }
}
