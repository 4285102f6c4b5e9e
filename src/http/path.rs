//! Paths: segments, percent-decoded exactly once, as bytes.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The segments of a path. `/a/%2Fb/` has three: `a`, `/b` and the empty one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments<'a>(Vec<Cow<'a, [u8]>>);

impl<'a> Segments<'a> {
    /// Splits a path as it was sent. Nothing is resolved: `..` is a segment like any other, as it may be a group's name.
    pub fn of(path: &'a str) -> Self {
        let path = path.strip_prefix('/').unwrap_or(path);
        Self(
            path.split('/')
                .map(|segment| percent_decode_str(segment).into())
                .collect(),
        )
    }

    /// The segments, to be matched on.
    pub fn as_slices(&self) -> Vec<&[u8]> {
        self.0.iter().map(AsRef::as_ref).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_segment_is_decoded_once_and_only_once() {
        let segments = Segments::of("/groups/%252Fz/%2Fz/a+b/%ff%FE/%zz/../");
        let expected: [&[u8]; 8] = [b"groups", b"%2Fz", b"/z", b"a+b", b"\xff\xfe", b"%zz", b"..", b""];
        assert_eq!(segments.as_slices(), expected);
        assert_eq!(Segments::of("/").as_slices(), [b""]);
    }
}
