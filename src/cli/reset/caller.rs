//! Who runs the command, for the audit log: the system's word, not the environment's.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use crate::reset::audit::Caller;

/// The user of this process.
pub(super) fn this_user() -> Caller {
    // The files under /proc/self belong to whoever runs the process.
    let uid = fs::metadata("/proc/self").map(|found| found.uid()).ok();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    Caller {
        who: uid.map_or_else(|| "unknown".to_owned(), |uid| name_of(uid, &users)),
        via: "cli",
        peer: None,
        certificate: None,
    }
}

/// The user's name in a `passwd` file; the number where it has none.
fn name_of(uid: u32, users: &str) -> String {
    let number = uid.to_string();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("uid {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_the_name_that_the_system_gives_or_a_number() {
        let users = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbad line\n";
        assert_eq!(name_of(0, users), "root");
        assert_eq!(name_of(1000, users), "ann");
        assert_eq!(name_of(7, users), "uid 7");
    }
}
