//! Which coding of `/metrics` a client wants.

use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// True when the client takes gzip at least as gladly as plain text. Without the header it gets plain text.
pub(super) fn wants_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut any, mut identity) = (None, None, None);
    let lists = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|list| list.to_str().ok());
    for (coding, weight) in lists.flat_map(|list| list.split(',')).filter_map(coding) {
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            gzip = Some(weight);
        } else if coding == "*" {
            any = Some(weight);
        } else if coding.eq_ignore_ascii_case("identity") {
            identity = Some(weight);
        }
    }
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= identity.unwrap_or(0)
}

/// One element of the list: its name and its weight in thousandths; `None` for what is neither.
fn coding(element: &str) -> Option<(&str, u16)> {
    let mut parts = element.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    weight.map_or(Some((name, 1000)), |weight| Some((name, thousandths(weight)?)))
}

/// `0`, `0.5`, `1.000`: what RFC 9110 calls a qvalue.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, fraction) = weight.split_once('.').unwrap_or((weight, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{fraction:0<3}").parse::<u16>().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" => Some(1000).filter(|_| fraction == 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn wants(lists: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for list in lists {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(list));
        }
        wants_gzip(&headers)
    }

    #[test]
    fn gzip_is_sent_to_who_asks_for_it() {
        for yes in [
            "gzip",
            "GZIP",
            "deflate, gzip;q=0.5, br",
            "gzip; q=1.000",
            "x-gzip",
            "*",
            "*;q=0.1, identity;q=0.1",
            "identity;q=0, gzip;q=0.001",
        ] {
            assert!(wants(&[yes]), "{yes}");
        }
        assert!(wants(&["br", "gzip"]), "in two headers");
    }

    #[test]
    fn plain_text_is_sent_to_everyone_else() {
        for no in [
            "",
            "identity",
            "br, zstd",
            "gzip;q=0",
            "gzip;q=0.000, *",
            "*;q=0",
            "gzip;q=0.5, identity;q=0.8",
            "gzip;q=2",
            "gzip;q=abc",
            "gzip;q=0.1234",
            ";q=1",
        ] {
            assert!(!wants(&[no]), "{no}");
        }
        assert!(!wants(&[]), "no header");
    }
}
