//! Text within HTML, and addresses.

use std::fmt;
use std::fmt::Write as _;

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::PercentEncode;
use percent_encoding::percent_encode;

use crate::model::GroupId;
use crate::report::printable;

/// What stands for itself in a segment of a path and in a value of a query.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Text that is nothing but text in HTML, in quoted attributes too.
pub(super) struct Text<T>(pub(super) T);

/// A name given by strangers: what would steer is spelt out, and it turns the direction of nothing around it.
pub(super) struct Name<'a>(pub(super) &'a str);

impl<T: AsRef<str>> fmt::Display for Text<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.as_ref().chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("<i>empty name</i>");
        }
        write!(f, "<bdi>{}</bdi>", Text(printable(self.0)))
    }
}

/// Bytes as one segment of a path, or as a value of a query.
pub(super) fn segment(bytes: &[u8]) -> PercentEncode<'_> {
    percent_encode(bytes, SEGMENT)
}

/// The address of a group's page. Browsers take `.` and `..` for steps on a path, however they are encoded: those two are named by the query.
pub(super) fn of_group(root: &str, cluster: &str, group: &GroupId) -> String {
    let cluster = segment(cluster.as_bytes());
    match group.bytes() {
        steps @ (b"." | b"..") => format!("{root}clusters/{cluster}/groups/?id={}", segment(steps)),
        id => format!("{root}clusters/{cluster}/groups/{}", segment(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_text_and_what_steers_is_spelt_out() {
        assert_eq!(
            Name("<script>\"'&\n\u{202e}x").to_string(),
            "<bdi>&lt;script&gt;&quot;&#39;&amp;\\n\\u{202e}x</bdi>"
        );
        assert_eq!(Name("").to_string(), "<i>empty name</i>");
    }

    #[test]
    fn every_group_has_an_address() {
        for (id, address) in [
            (&b"orders"[..], "clusters/a%2Fb/groups/orders"),
            (b"%2Fz", "clusters/a%2Fb/groups/%252Fz"),
            (b"/z", "clusters/a%2Fb/groups/%2Fz"),
            (b"a\xff?", "clusters/a%2Fb/groups/a%FF%3F"),
            (b"", "clusters/a%2Fb/groups/"),
            (b"...", "clusters/a%2Fb/groups/..."),
            (b"..", "clusters/a%2Fb/groups/?id=.."),
        ] {
            assert_eq!(of_group("", "a/b", &GroupId::from(id)), address);
        }
    }
}
