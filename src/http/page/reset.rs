//! The command line that plans a reset. The page itself writes nothing: it has no button and no form that could.

use std::fmt;
use std::fmt::Write as _;

use super::Sight;
use super::markup::Text;
use crate::config::Admin;
use crate::http::state::Published;
use crate::model::GroupId;
use crate::report::shell_word;
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
        shell_word(cluster.as_bytes()),
        shell_word(group.bytes()),
        admin.listen
    )
}
