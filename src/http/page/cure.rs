//! Commands that help: those that cure what is left over, and the one that plans a reset. They are there to be copied; the page itself
//! writes nothing and has no button and no form that could.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::markup::Text;
use crate::config::Admin;
use crate::http::state::Published;
use crate::model::GroupId;
use crate::report::Cure;
use crate::report::shell_word;
use crate::snapshot::GroupView;

/// Writes what there is of them.
pub(super) fn write(
    out: &mut String,
    sight: &Sight,
    (published, view): (&Published, &GroupView),
    cures: &[Cure],
) -> fmt::Result {
    let admin = sight.settings.admin.as_deref().filter(|_| view.kind.commits_offsets());
    if admin.is_none() && cures.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section aria-labelledby=\"help\">\n<h2 id=\"help\">What helps</h2>"
    )?;
    for (number, cure) in cures.iter().enumerate() {
        writeln!(out, "<p>{}.</p>", Text(&cure.what))?;
        write_command(out, &format!("cure-{number}"), &cure.command)?;
    }
    if let Some(admin) = admin {
        write_reset(out, admin, &published.snapshot.cluster, &view.id)?;
    }
    writeln!(out, "</section>")
}

fn write_reset(out: &mut String, admin: &Admin, cluster: &str, group: &GroupId) -> fmt::Result {
    writeln!(
        out,
        "<details class=\"cure\"><summary>Plan a reset of its offsets</summary>"
    )?;
    if allowed(admin, cluster, group) {
        writeln!(
            out,
            "<p>This prints a plan and changes nothing. Put where the group should go in the place of <code>--to-current</code>, \
             and the file with your token in the place of <code>TOKEN</code>.</p>"
        )?;
        write_command(out, "reset", &command(admin, cluster, group))?;
    } else {
        writeln!(
            out,
            "<p>The admin listener's <code>allow</code> does not name this group.</p>"
        )?;
    }
    writeln!(out, "</details>")
}

/// A command that can be copied.
fn write_command(out: &mut String, id: &str, command: &str) -> fmt::Result {
    writeln!(
        out,
        "<div class=\"command\"><pre><code id=\"command-{id}\">{}</code></pre>\
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
        shell_word(cluster.as_bytes()),
        shell_word(group.bytes()),
        admin.listen
    )
}
