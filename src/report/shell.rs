//! Words of a shell: any bytes as one argument of a command that a person copies.

use super::table::printable;

/// Bytes as one word of a shell: as they are where nothing in them means something to it, in quotes otherwise. What a terminal could be
/// steered by, or is no text, is written as `$'\xNN'`, which bash, zsh, ksh and busybox read.
pub fn shell_word(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.,/:@%+=".contains(byte);
    match std::str::from_utf8(word) {
        Ok(text) if !text.is_empty() && word.iter().all(plain) => text.to_owned(),
        Ok(text) if printable(text) == text => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let bytes = word.iter().map(|byte| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                // Octal has a fixed length: what follows cannot be taken for a part of it.
                other => format!("\\{other:03o}"),
            });
            format!("$'{}'", bytes.collect::<String>())
        }
    }
}

/// An option with its value, which is never taken for another option.
pub(super) fn option(name: &str, value: &[u8]) -> String {
    let between = if value.starts_with(b"-") { '=' } else { ' ' };
    format!("{name}{between}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_a_shell_whatever_it_holds() {
        for (word, shown) in [
            (&b"orders-1"[..], "orders-1"),
            (b"", "''"),
            (b"a b; rm -rf ~", "'a b; rm -rf ~'"),
            (b"it's $HOME", "'it'\\''s $HOME'"),
            (b"`id`\"$(id)", "'`id`\"$(id)'"),
            ("消费".as_bytes(), "'消费'"),
            (b"a\nb'\\", "$'a\\012b\\'\\\\'"),
            (b"a\xff9", "$'a\\3779'"),
            ("\u{202e}x".as_bytes(), "$'\\342\\200\\256x'"),
        ] {
            assert_eq!(shell_word(word), shown);
        }
    }

    #[test]
    fn a_shell_reads_back_every_byte() {
        let all: Vec<u8> = (1..=255).collect();
        let spiteful: [&[u8]; 5] = [&all, b"\xc3\xbc'\\x41", b"$'\\n'", b"-rf", b"7\x017"];
        for word in spiteful {
            let script = format!("printf %s {}", shell_word(word));
            let run = std::process::Command::new("bash").args(["-c", &script]).output();
            assert_eq!(run.expect("bash runs").stdout, word, "{script}");
        }
    }

    #[test]
    fn a_value_is_never_an_option() {
        assert_eq!(option("--group", b"--all-groups"), "--group=--all-groups");
        assert_eq!(option("--group", b"g"), "--group g");
        assert_eq!(option("--group", b""), "--group ''");
    }
}
