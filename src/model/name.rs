//! Names as Kafka has them: bytes. Most are UTF-8; brokers not written in Java pass on others.

use std::borrow::Borrow;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<[u8]>);

        impl $name {
            /// The bytes as Kafka sent them.
            pub fn bytes(&self) -> &[u8] {
                &self.0
            }

            /// The name as UTF-8; `None` when it is something else and only [`Display`](fmt::Display) can show it.
            pub fn utf8(&self) -> Option<&str> {
                std::str::from_utf8(&self.0).ok()
            }
        }

        impl From<&[u8]> for $name {
            fn from(bytes: &[u8]) -> Self {
                Self(bytes.into())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.as_bytes().into())
            }
        }

        impl Borrow<[u8]> for $name {
            fn borrow(&self) -> &[u8] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    };
}

name! {
    /// The id of a consumer group. Any bytes; leading white space and control characters included.
    GroupId
}
name! {
    /// The name of a topic.
    TopicName
}
name! {
    /// Any other string a broker sends: client ids, hosts, member ids, assignors, protocol types.
    Text
}

impl Text {
    /// True for a string of no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes that are not UTF-8 show as `\xNN`, lower case; everything else as it is.
fn show(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        f.write_str(chunk.valid())?;
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

/// The id Kafka gave a topic when it was made: a topic made anew under the same name has another. From Metadata v10 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicId(pub [u8; 16]);

impl TopicId {
    /// `None` for the sixteen zeros by which Kafka says that it knows no id.
    pub fn new(raw: [u8; 16]) -> Option<Self> {
        (raw != [0; 16]).then_some(Self(raw))
    }
}

impl fmt::Display for TopicId {
    /// As Kafka's own tools print it: URL-safe Base64 without padding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let number = u128::from_be_bytes(self.0);
        // 128 bits are 21 groups of six and a rest of two, which Base64 pads with four zero bits.
        for group in (0..21).rev() {
            let index = (number >> (2 + 6 * group)) & 63;
            f.write_char(char::from(ALPHABET[usize::try_from(index).unwrap_or(0)]))?;
        }
        let rest = (number & 3) << 4;
        f.write_char(char::from(ALPHABET[usize::try_from(rest).unwrap_or(0)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_bytes_are_shown_and_utf8_is_left_alone() {
        let name = GroupId::from(&b"a\xff\xfe\xc3\xbc"[..]);
        assert_eq!(name.to_string(), "a\\xff\\xfe\u{fc}");
        assert_eq!(name.utf8(), None);
        assert_eq!(GroupId::from("Grüße-消费").to_string(), "Grüße-消费");
    }

    #[test]
    fn a_topic_id_reads_as_kafkas_tools_print_it() {
        let id = TopicId(*b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f");
        assert_eq!(id.to_string(), "AAECAwQFBgcICQoLDA0ODw");
        assert_eq!(TopicId::new([0; 16]), None);
    }
}
