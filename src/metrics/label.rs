//! Labels as text.

/// Appends `,name="value"` (without the comma after an opening brace).
pub(super) fn push(out: &mut Vec<u8>, name: &str, value: &str) {
    if out.last().is_some_and(|&last| last != b'{') {
        out.push(b',');
    }
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escape(out, value);
    out.push(b'"');
}

/// Appends the value with backslash, quote and line feed escaped: the three that the format names.
fn escape(out: &mut Vec<u8>, value: &str) {
    let mut rest = value.as_bytes();
    // Hardly any name has one. Looked for without an early end, which the compiler does many bytes at a time.
    if !rest.iter().fold(false, |found, &byte| found | is_special(byte)) {
        return out.extend_from_slice(rest);
    }
    while let Some(at) = rest.iter().position(|&byte| is_special(byte)) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'\n' => b"\\n",
            b'"' => b"\\\"",
            _ => b"\\\\",
        });
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'"' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_characters_of_the_format_are_escaped_and_no_other() {
        let mut out = b"x{".to_vec();
        push(&mut out, "a", "a\"b\\c\nd\r\tü");
        push(&mut out, "b", "");
        assert_eq!(String::from_utf8_lossy(&out), "x{a=\"a\\\"b\\\\c\\nd\r\tü\",b=\"\"");
    }
}
