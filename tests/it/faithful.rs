//! One set of assertions, run on the simulated cluster and on a real Kafka, so that the simulation cannot drift from what it simulates.

mod commits;
mod ground;
mod groups;
mod logs;
mod readers;
mod topics;

use ground::Ground;

/// A test for each cluster of one check.
macro_rules! on_both {
    ($($name:ident,)*) => {
        mod simulated {
            $(#[test] fn $name() { super::$name(&super::Ground::simulated()); })*
        }
        mod real {
            $(#[test] fn $name() { if let Some(ground) = super::Ground::real() { super::$name(&ground); } })*
        }
    };
}

use commits::*;
use groups::*;
use logs::*;
use readers::*;
use topics::*;

on_both! {
    offsets_of_every_kind_and_version,
    partitions_that_are_not_there_or_named_twice,
    leader_epochs_fence,
    an_open_transaction_holds_the_stable_offset,
    an_unknown_group_in_every_call,
    a_classic_group_alive_and_empty,
    a_kip_848_group_alive_and_empty,
    a_commit_from_outside_makes_a_group,
    who_may_commit,
    commits_named_and_all_in_every_version,
    forgetting_commits_and_groups,
    topics_by_name_and_id,
    settings_of_topics,
    a_reader_gets_the_record_at_an_offset_or_the_next,
    a_reader_outside_of_the_log_is_told_so,
}
