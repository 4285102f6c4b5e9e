//! JSON in the canonical form of RFC 8785, with integers kept exact. Why not a crate: those there are follow the RFC to the letter and
//! send every number through a double, which changes offsets above 2^53; a plan holds no fractions, so here they are refused instead.

use serde_json::Value;

/// Why a document has no canonical form here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a number that is not a 64-bit integer")]
pub struct NotExact;

/// The canonical text of a document: no white space, members sorted by the UTF-16 code units of their names, shortest escapes.
///
/// # Errors
///
/// When the document holds a number that is not a 64-bit integer.
pub fn canonical(document: &Value) -> Result<String, NotExact> {
    let mut out = String::new();
    write(document, &mut out)?;
    Ok(out)
}

fn write(value: &Value, out: &mut String) -> Result<(), NotExact> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Number(number) if number.is_i64() || number.is_u64() => out.push_str(&number.to_string()),
        Value::Number(_) => return Err(NotExact),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                comma(index, out);
                write(item, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                comma(index, out);
                string(name, out);
                out.push(':');
                write(member, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn comma(index: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}

/// `serde_json` escapes strings as ECMAScript does: two-letter escapes where there is one, `\u00xx` in lower case for the other control
/// characters, everything else as it is.
fn string(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_by_utf16_and_not_by_code_points() {
        // The RFC's own example of sorting (section 3.2.3); U+1F600 is a surrogate pair and so comes before U+FB33.
        let document = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            canonical(&document).as_deref(),
            Ok("{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}")
        );
    }

    #[test]
    fn strings_have_the_shortest_escapes() {
        // Section 3.2.2.2.
        let document = json!({"s": "\u{20ac}$\u{f}\nA'B\"\\\\\"/\u{7f}\u{8}\t\u{c}"});
        assert_eq!(
            canonical(&document).as_deref(),
            Ok("{\"s\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\\b\\t\\f\"}")
        );
    }

    #[test]
    fn integers_are_exact_beyond_what_a_double_can_hold() {
        let document = json!([0, -1, 9_007_199_254_740_993_i64, i64::MAX, i64::MIN, u64::MAX]);
        assert_eq!(
            canonical(&document).as_deref(),
            Ok("[0,-1,9007199254740993,9223372036854775807,-9223372036854775808,18446744073709551615]")
        );
    }

    #[test]
    fn a_fraction_is_refused() {
        assert_eq!(canonical(&json!({"a": [1.5]})), Err(NotExact));
    }

    #[test]
    fn nested_documents_are_written_without_white_space() {
        let document = json!({"b": [true, false, null, {}], "a": {"d": [], "c": ""}});
        assert_eq!(
            canonical(&document).as_deref(),
            Ok(r#"{"a":{"c":"","d":[]},"b":[true,false,null,{}]}"#)
        );
    }
}
