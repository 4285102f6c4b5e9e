//! The members of a group.

use std::fmt;
use std::fmt::Write as _;

use super::figures::absent;
use super::figures::count;
use super::group_ask::Place;
use super::markup::Name;
use super::markup::Text;
use super::markup::segment;
use crate::report::Why;
use crate::report::absent_of_group;
use crate::snapshot::GroupView;
use crate::snapshot::MemberView;

/// Members that are shown unasked.
const SHOWN: usize = 50;

/// Writes the table.
pub(super) fn write(out: &mut String, view: &GroupView, place: &Place) -> fmt::Result {
    writeln!(
        out,
        "<section aria-labelledby=\"members\">\n<h2 id=\"members\">Members</h2>"
    )?;
    match view.members.as_ref().map(|it| &it.members[..]) {
        None => {
            let why = absent(absent_of_group(view).get("members"));
            writeln!(out, "<p class=\"empty\">The members are not known: {why}.</p>")?;
        }
        Some([]) => writeln!(out, "<p class=\"empty\">The group has no members.</p>")?,
        Some(members) => write_table(out, members, place)?,
    }
    writeln!(out, "</section>")
}

fn write_table(out: &mut String, members: &[MemberView], place: &Place) -> fmt::Result {
    writeln!(
        out,
        "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">"
    )?;
    for (title, class) in [("Client", "g"), ("Host", "o"), ("Partitions", "n"), ("Member id", "o")] {
        writeln!(
            out,
            "<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{title}</th>"
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody role=\"rowgroup\">")?;
    let shown = if place.all_members { members.len() } else { SHOWN };
    for member in members.iter().take(shown) {
        write_row(out, member)?;
    }
    writeln!(out, "</tbody>\n</table>")?;
    if shown < members.len() {
        writeln!(
            out,
            "<p class=\"fold\"><a href=\"{}\">Show all {} members</a></p>",
            Text(place.with("members", |it| it.all_members = true)),
            count(members.len())
        )?;
    }
    Ok(())
}

fn write_row(out: &mut String, member: &MemberView) -> fmt::Result {
    let load = match member.partitions {
        Some(0) => "idle".to_owned(),
        Some(number) => count(number),
        None => absent(Some(Why::NotApplicable)),
    };
    let standing = member.instance_id.as_deref();
    let standing = standing.map_or_else(String::new, |id| format!(" <small>static: {}</small>", Name(id)));
    writeln!(
        out,
        "<tr role=\"row\" data-key=\"m:{}\">\n<th role=\"rowheader\" scope=\"row\" class=\"g\">{}{standing}</th>\n\
         <td role=\"cell\" class=\"o\" data-l=\"Host\">{}</td>\n<td role=\"cell\" class=\"n\" data-l=\"Partitions\">{load}</td>\n\
         <td role=\"cell\" class=\"o\" data-l=\"Member id\"><small>{}</small></td>\n</tr>",
        segment(member.id.as_bytes()),
        Name(&member.client_id),
        Name(&member.host),
        Name(&member.id)
    )
}
