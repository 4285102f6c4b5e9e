use std::collections::HashSet;

use serde_json::json;

use super::*;
use crate::failure::Api;
use crate::model::Text;
use crate::reset::fake::key;
use crate::reset::fake::member;
use crate::reset::fake::offset;

fn group() -> GroupId {
    GroupId::from("a\nb")
}

fn bad(fault: Fault, topic: &str, partition: i32) -> BadPartition {
    BadPartition {
        fault,
        topic: topic.to_owned(),
        partition: Some(partition),
    }
}

#[test]
fn every_refusal_says_what_is_wrong_and_what_to_do() {
    for (refusal, word, message) in [
        (
            Refusal::Unauthenticated,
            "unauthenticated",
            "no valid token: send the header \"Authorization: Bearer TOKEN\" with a token of this listener",
        ),
        (
            Refusal::TooManyRequests {
                retry_after: Duration::from_millis(300),
            },
            "too_many_requests",
            "too many requests: come again in 1 s",
        ),
        (
            Refusal::NotFound,
            "not_found",
            "no such route: POST /admin/v1/clusters/{cluster}/groups/{group}/reset/plan or …/reset/execute, names percent-encoded",
        ),
        (
            Refusal::MethodNotAllowed,
            "method_not_allowed",
            "only POST is taken here",
        ),
        (
            Refusal::TooLarge { limit: 1_048_576 },
            "too_large",
            "the body is above 1048576 bytes: reset fewer partitions at a time",
        ),
        (
            Refusal::NotAllowed {
                cluster: "main".to_owned(),
                group: group(),
            },
            "not_allowed",
            "group \"a\\nb\" of cluster \"main\" may not be reset here: admin.allow of the configuration does not name it",
        ),
        (
            Refusal::UnknownCluster {
                cluster: "mian".to_owned(),
            },
            "unknown_cluster",
            "no cluster \"mian\" is configured",
        ),
        (
            Refusal::InvalidRequest(vec!["one".to_owned(), "two".to_owned()]),
            "invalid_request",
            "the request makes no sense: one; two",
        ),
        (
            Refusal::BadFingerprint,
            "bad_fingerprint",
            "the plan is not the one that the fingerprint was made for: send the plan exactly as it was answered, or plan anew",
        ),
        (
            Refusal::WrongConfirmation {
                group: group(),
                given: None,
            },
            "wrong_confirmation",
            "\"confirm\" is missing: it must be the name of the group, \"a\\nb\"",
        ),
        (
            Refusal::CannotVerify(Unread::Call(Failure::because(
                Api::DescribeGroups,
                Cause::TimedOut,
                "kafka-1:9092",
            ))),
            "cannot_verify",
            "what must be known before a reset could not be read (DescribeGroups: REQUEST_TIMED_OUT (kafka-1:9092)), so nothing was \
             changed: try again when Kafka answers",
        ),
        (
            Refusal::AuditUnavailable {
                problem: "/var/log/audit.jsonl: No space left on device".to_owned(),
            },
            "audit_unavailable",
            "the audit log cannot be written, and without it nothing is reset: /var/log/audit.jsonl: No space left on device",
        ),
    ] {
        assert_eq!((refusal.word(), refusal.to_string().as_str()), (word, message));
    }
}

#[test]
fn every_kind_of_bad_partition_says_what_to_do() {
    for (fault, word, message) in [
        (
            Fault::UnknownTopic,
            "unknown_topic",
            "topic t/7 does not exist: check the names",
        ),
        (
            Fault::UnknownPartition { partitions: 3 },
            "unknown_partition",
            "t/7 does not exist (the topic has 3): check the names",
        ),
        (
            Fault::NoLeader,
            "no_leader",
            "t/7 has no leader: try again when the partition has a leader",
        ),
        (
            Fault::Unreadable {
                what: "the log",
                cause: Cause::Malformed,
            },
            "cannot_verify",
            "the log of t/7 could not be read (MALFORMED_ANSWER): nothing was changed, try again when Kafka answers",
        ),
        (
            Fault::NotCommitted,
            "not_committed",
            "the group has no commit on t/7: leave it out, or allow new partitions to give the group a commit there",
        ),
        (
            Fault::OutOfRange {
                to: -1,
                start: offset(5),
                end: offset(9),
            },
            "out_of_range",
            "-1 is outside t/7, which goes from 5 to 9: choose an offset inside, or clamp to take the nearest one",
        ),
    ] {
        let refusal = Refusal::of(vec![bad(fault, "t", 7)]).expect("a refusal");
        assert_eq!((refusal.word(), refusal.to_string().as_str()), (word, message));
    }
    assert_eq!(Refusal::of(Vec::new()), None);
}

#[test]
fn a_message_names_a_few_and_the_details_all_of_them_once() {
    let many = (0..8)
        .chain(0..8)
        .map(|partition| bad(Fault::NotCommitted, "t", partition));
    let refusal = Refusal::of(many.collect()).expect("a refusal");
    assert!(
        refusal.to_string().contains("on t/4 and 3 more: leave it out"),
        "{refusal}"
    );
    assert_eq!(refusal.details().len(), 8);
}

#[test]
fn an_active_group_names_everybody_who_keeps_it_so() {
    let members = (0..7).map(|n| member(&format!("app-{n}"), "10.0.0.7", None)).collect();
    let refusal = Refusal::GroupActive(Active {
        group: group(),
        state: Some(GroupState::Other(Text::from("Napping"))),
        members,
        answer: None,
    });
    assert!(
        refusal
            .to_string()
            .starts_with("group \"a\\nb\" is active: its state is Napping, it has 7 members: app-0 on 10.0.0.7, ")
    );
    assert!(
        refusal
            .to_string()
            .contains("app-4 on 10.0.0.7 and 2 more. Stop these consumers")
    );
    let named: HashSet<_> = refusal
        .details()
        .iter()
        .map(|detail| detail["client_id"].to_string())
        .collect();
    assert_eq!(named.len(), 7);
}

#[test]
fn what_moved_is_in_the_details_with_null_for_no_commit() {
    let change = Change {
        key: key("t", 1),
        was: Some(offset(5)),
        is: None,
    };
    let expected = [json!({"topic": "t", "partition": 1, "was": 5, "is": null})];
    let moving = Refusal::CommitsMoving {
        group: group(),
        moved: vec![change.clone()],
    };
    assert_eq!(moving.details(), expected);
    assert_eq!(
        Refusal::PlanChanged(vec![Difference::Commit(change)]).details(),
        expected
    );
}

#[test]
fn a_shift_beyond_64_bits_is_exact_in_the_details_too() {
    let fault = Fault::OutOfRange {
        to: i128::from(i64::MAX) + 1,
        start: offset(0),
        end: offset(9),
    };
    let refusal = Refusal::of(vec![bad(fault, "t", 0)]).expect("a refusal");
    assert_eq!(refusal.details()[0]["to"], "9223372036854775808");
}
