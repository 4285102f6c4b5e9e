use super::*;

fn parse(body: &str) -> Result<Request, Refusal> {
    Asked::parse(body.as_bytes())?.check(Reason::Optional)
}

fn target_of(to: &str) -> Target {
    let body = format!(r#"{{"scope": "committed", "to": {to}}}"#);
    match parse(&body).expect("a good request").wish {
        Wish::All(Scope::Committed, target) => target,
        other => panic!("{other:?}"),
    }
}

fn problems(body: &str) -> Vec<String> {
    match parse(body) {
        Err(Refusal::InvalidRequest(problems)) => problems,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn every_target_of_the_contract_is_read() {
    assert_eq!(target_of(r#"{"offset": 10}"#), Target::Offset(Offset::new(10).unwrap()));
    assert_eq!(
        target_of(r#"{"offset": 9223372036854775807}"#),
        Target::Offset(Offset::new(i64::MAX).unwrap())
    );
    assert_eq!(target_of(r#""earliest""#), Target::Earliest);
    assert_eq!(target_of(r#""latest""#), Target::Latest);
    assert_eq!(target_of(r#""current""#), Target::Current);
    assert_eq!(target_of(r#"{"shift": -7}"#), Target::Shift(-7));
    assert_eq!(
        target_of(r#"{"datetime": "1970-01-01T00:00:10Z"}"#),
        Target::At(UnixMillis(10_000))
    );
    assert_eq!(
        target_of(r#"{"ago": "2h"}"#),
        Target::Ago(SignedDuration::from_hours(2))
    );
    assert_eq!(
        target_of(r#"{"ago": "PT2H"}"#),
        Target::Ago(SignedDuration::from_hours(2))
    );
    assert_eq!(target_of(r#""none""#), Target::Forget);
}

#[test]
fn offsets_carry_their_own_scope_and_null_forgets() {
    let body = r#"{"to": {"offsets": [{"topic": "t", "partition": 1, "offset": 5}, {"topic": "t", "partition": 0, "offset": null}]}}"#;
    let row = |partition, offset| KeyOffset {
        topic: "t".to_owned(),
        partition,
        offset,
    };
    assert_eq!(
        parse(body).expect("a good request").wish,
        Wish::Each(vec![row(1, Offset::new(5)), row(0, None)])
    );
}

#[test]
fn scopes_are_topics_with_all_or_some_partitions() {
    let body = r#"{"scope": {"topics": [{"topic": "a"}, {"topic": "b", "partitions": [2, 0]}]}, "to": "latest"}"#;
    let scope = |topic: &str, partitions| TopicScope {
        topic: topic.to_owned(),
        partitions,
    };
    assert_eq!(
        parse(body).expect("a good request").wish,
        Wish::All(
            Scope::Topics(vec![scope("a", None), scope("b", Some(vec![2, 0]))]),
            Target::Latest
        )
    );
    let body = r#"{"scope": {"committed_except": ["a"]}, "to": "latest"}"#;
    assert_eq!(
        parse(body).expect("a good request").wish,
        Wish::All(Scope::CommittedExcept(vec!["a".to_owned()]), Target::Latest)
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"{"scope": "committed"}"#,
        r#"{"to": "earliest"}"#,
        r#"{"scope": "committed", "to": "somewhere"}"#,
        r#"{"scope": "committed", "to": {"offset": 1, "shift": 2}}"#,
        r#"{"scope": "committed", "to": {"offset": -1}}"#,
        r#"{"scope": "committed", "to": {"offset": 1.0}}"#,
        r#"{"scope": "committed", "to": {"offset": 9223372036854775808}}"#,
        r#"{"scope": "committed", "to": {"offset": "1"}}"#,
        r#"{"scope": "committed", "to": {"datetime": "yesterday"}}"#,
        r#"{"scope": "committed", "to": {"ago": "2"}}"#,
        r#"{"scope": "committed", "to": null}"#,
        r#"{"scope": "committed", "to": "earliest", "dry_run": true}"#,
        r#"{"scope": "committed", "to": "earliest", "to": "latest"}"#,
        r#"{"scope": "committed", "to": "earliest"} and more"#,
        r#"{"scope": null, "to": "earliest"}"#,
        r#"{"scope": "everything", "to": "earliest"}"#,
        r#"{"scope": {"topics": []}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t", "partitions": []}]}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t", "partitions": null}]}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t", "partition": 1}]}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t", "partitions": [-1]}]}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t", "partitions": [1, 1]}]}, "to": "earliest"}"#,
        r#"{"scope": {"topics": [{"topic": "t"}, {"topic": "t"}]}, "to": "earliest"}"#,
        r#"{"scope": {"committed_except": []}, "to": "earliest"}"#,
        r#"{"to": {"offsets": []}}"#,
        r#"{"to": {"offsets": [{"topic": "t", "partition": 0}]}}"#,
        r#"{"to": {"offsets": [{"topic": "t", "partition": 0, "offset": -2}]}}"#,
        r#"{"scope": "committed", "to": {"offsets": [{"topic": "t", "partition": 0, "offset": 1}]}}"#,
        r#"{"to": {"offsets": [{"topic": "t", "partition": 0, "offset": 1}, {"topic": "t", "partition": 0, "offset": 2}]}}"#,
        r#"{"scope": "committed", "to": "earliest", "clamp": 1}"#,
        r#"{"scope": "committed", "to": "earliest", "reason": null}"#,
    ] {
        assert!(!problems(body).is_empty(), "{body}");
    }
}

#[test]
fn everything_that_is_wrong_is_named_at_once() {
    let body = r#"{"scope": {"topics": [{"topic": "t", "partitions": []}, {"topic": "t"}]}, "to": {"ago": "2"}}"#;
    assert_eq!(
        problems(body),
        [
            "\"2\" is no duration, like 90s, 2h, 1d12h, or PT2H as ISO 8601 has them (no months or years, not negative)",
            "topic \"t\" is named twice",
            "\"partitions\" of topic \"t\" is empty: name at least one, or leave the key out for all",
        ]
    );
}

#[test]
fn a_reason_can_be_required() {
    let asked = |reason: Option<&str>| Asked {
        scope: Some(Scope::Committed),
        to: To::Latest,
        clamp: false,
        allow_new_partitions: false,
        reason: reason.map(str::to_owned),
    };
    for reason in [None, Some(" \n")] {
        assert_eq!(
            asked(reason).check(Reason::Required),
            Err(Refusal::InvalidRequest(vec![
                "\"reason\" is missing: say why this reset is done".to_owned()
            ]))
        );
        assert!(asked(reason).check(Reason::Optional).is_ok());
    }
    assert!(asked(Some("bad deploy")).check(Reason::Required).is_ok());
}

#[test]
fn a_request_is_written_as_it_is_read() {
    for body in [
        r#"{"scope":"committed","to":"none"}"#,
        r#"{"scope":{"topics":[{"topic":"t","partitions":[0]},{"topic":"u"}]},"to":{"shift":-1},"clamp":true}"#,
        r#"{"to":{"offsets":[{"topic":"t","partition":0,"offset":null}]},"allow_new_partitions":true,"reason":"x"}"#,
    ] {
        let asked = Asked::parse(body.as_bytes()).expect("good");
        assert_eq!(serde_json::to_string(&asked).expect("JSON"), body);
    }
}
