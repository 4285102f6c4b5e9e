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
use crate::report::absent_of_partition;
use crate::snapshot::GroupView;
use crate::snapshot::MemberView;

/// Members that are shown unasked.
const SHOWN: usize = 50;
const TITLES: [(&str, &str); 5] = [
    ("Client", "g"),
    ("Host", "o"),
    ("Partitions", "n"),
    ("Records waiting", "n"),
    ("Member id", "o"),
];

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
        Some(members) => write_table(out, members, &waiting(view, members), place)?,
    }
    writeln!(out, "</section>")
}

/// Records that wait in the committed partitions of each member, or why that cannot be told.
fn waiting(view: &GroupView, members: &[MemberView]) -> Vec<Result<u128, Why>> {
    let mut sums: Vec<Option<Result<u128, Why>>> = vec![None; members.len()];
    let partitions = view.topics.iter().flat_map(|topic| &topic.partitions);
    for it in partitions.filter(|it| it.committed.is_some() || it.unreadable.is_some()) {
        let owner = it.owner.and_then(|owner| usize::try_from(owner).ok());
        if let Some(sum) = owner.and_then(|owner| sums.get_mut(owner)) {
            let why = || absent_of_partition(it).get("lag_records").unwrap_or(Why::NotRead);
            let lag = it.lag().map(u128::from).ok_or_else(why);
            *sum = Some(sum.unwrap_or(Ok(0)).and_then(|before| Ok(before + lag?)));
        }
    }
    let none = |member: &MemberView| match member.partitions {
        Some(0) => Ok(0),
        _ if view.kind.commits_offsets() => Err(Why::NotCommitted),
        _ => Err(Why::NotApplicable),
    };
    let sums = sums.into_iter().zip(members);
    sums.map(|(sum, member)| sum.unwrap_or_else(|| none(member))).collect()
}

fn write_table(out: &mut String, members: &[MemberView], waiting: &[Result<u128, Why>], place: &Place) -> fmt::Result {
    writeln!(
        out,
        "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">"
    )?;
    for (title, class) in TITLES {
        writeln!(
            out,
            "<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{title}</th>"
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody role=\"rowgroup\">")?;
    let shown = if place.all_members { members.len() } else { SHOWN };
    for (member, waiting) in members.iter().zip(waiting).take(shown) {
        write_row(out, member, *waiting)?;
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

fn write_row(out: &mut String, member: &MemberView, waiting: Result<u128, Why>) -> fmt::Result {
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
         <td role=\"cell\" class=\"n\" data-l=\"Records waiting\">{}</td>\n\
         <td role=\"cell\" class=\"o\" data-l=\"Member id\"><small>{}</small></td>\n</tr>",
        segment(member.id.as_bytes()),
        Name(&member.client_id),
        Name(&member.host),
        waiting.map_or_else(|why| absent(Some(why)), count),
        Name(&member.id)
    )
}
