//! The command line that plans a reset. The page itself writes nothing: it has no button and no form that could.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::markup::Text;
use crate::config::Admin;
use crate::http::state::Published;
use crate::model::GroupId;
use crate::snapshot::GroupView;

/// Writes the command, where an admin listener is configured.
pub(super) fn write(out: &mut String, sight: &Sight, published: &Published, view: &GroupView) -> fmt::Result {
    let Some(admin) = &sight.settings.admin else {
        return Ok(());
    };
    if !view.kind.commits_offsets() {
        return Ok(());
    }
    let cluster = &*published.snapshot.cluster;
    writeln!(
        out,
        "<details class=\"cure\"><summary>Plan a reset of its offsets</summary>"
    )?;
    if allowed(admin, cluster, &view.id) {
        writeln!(
            out,
            "<p>This prints a plan and changes nothing. Put where the group should go in the place of <code>--to-current</code>, \
             and the file with your token in the place of <code>TOKEN</code>.</p>"
        )?;
        write_command(out, "reset", &command(admin, cluster, &view.id))?;
    } else {
        writeln!(
            out,
            "<p>The admin listener's <code>allow</code> does not name this group.</p>"
        )?;
    }
    writeln!(out, "</details>")
}

/// A command that can be copied.
pub(super) fn write_command(out: &mut String, id: &str, command: &str) -> fmt::Result {
    writeln!(
        out,
        "<div class=\"command\"><pre tabindex=\"0\" aria-label=\"Command\"><code id=\"command-{id}\">{}</code></pre>\
         <button type=\"button\" data-copy=\"command-{id}\" hidden>Copy</button></div>",
        Text(command)
    )
}

fn allowed(admin: &Admin, cluster: &str, group: &GroupId) -> bool {
    let mut allow = admin.allow.iter();
    allow.any(|it| it.cluster == cluster && it.groups.matches(group.bytes()))
}

fn command(admin: &Admin, cluster: &str, group: &GroupId) -> String {
    let scheme = if admin.tls.is_some() { "https" } else { "http" };
    format!(
        "tidemark reset plan --cluster {} --group {} --committed --to-current --admin {scheme}://{} --token-file TOKEN --output table",
        quoted(cluster.as_bytes()),
        quoted(group.bytes()),
        admin.listen
    )
}

/// Bytes as one word of a shell: as they are where nothing in them means something to it.
fn quoted(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.,/:@%+=".contains(byte);
    match std::str::from_utf8(word) {
        Ok(text) if !text.is_empty() && word.iter().all(plain) => text.to_owned(),
        Ok(text) if crate::report::printable(text) == text => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let bytes = word.iter().map(|byte| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                other => format!("\\x{other:02x}"),
            });
            format!("$'{}'", bytes.collect::<String>())
        }
    }
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
            ("消费".as_bytes(), "'消费'"),
            (b"a\nb'\\", "$'a\\x0ab\\'\\\\'"),
            (b"a\xff", "$'a\\xff'"),
            ("\u{202e}x".as_bytes(), "$'\\xe2\\x80\\xaex'"),
        ] {
            assert_eq!(quoted(word), shown);
        }
    }
}
