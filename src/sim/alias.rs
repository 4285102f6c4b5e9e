//! Names that are not UTF-8. The codec knows only UTF-8, so inside they are called by another name of the same length, which is replaced in the
//! bytes of answers and requests.

use bytes::Bytes;
use bytes::BytesMut;

/// Pairs of the inner name and the bytes on the wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Aliases(Vec<(Vec<u8>, Vec<u8>)>);

impl Aliases {
    /// Adds a pair; false when the lengths differ, as the frames could not hold it then.
    pub(super) fn add(&mut self, name: &str, wire: &[u8]) -> bool {
        let fits = name.len() == wire.len() && !wire.is_empty();
        if fits {
            self.0.push((name.as_bytes().to_vec(), wire.to_vec()));
        }
        fits
    }

    /// An answer as it goes over the wire.
    pub(super) fn outward(&self, frame: Bytes) -> Bytes {
        self.replaced(frame, |(name, wire)| (name, wire))
    }

    /// A request as the codec can read it.
    pub(super) fn inward(&self, frame: Bytes) -> Bytes {
        self.replaced(frame, |(name, wire)| (wire, name))
    }

    fn replaced<'a>(
        &'a self,
        frame: Bytes,
        pair: impl Fn(&'a (Vec<u8>, Vec<u8>)) -> (&'a Vec<u8>, &'a Vec<u8>),
    ) -> Bytes {
        if self.0.is_empty() {
            return frame;
        }
        let mut changed = BytesMut::from(frame);
        for (from, to) in self.0.iter().map(pair) {
            let mut at = 0;
            while at + from.len() <= changed.len() {
                if changed[at..].starts_with(from) {
                    changed[at..at + from.len()].copy_from_slice(to);
                    at += from.len();
                } else {
                    at += 1;
                }
            }
        }
        changed.freeze()
    }
}
