//! `reset` and `export`

use std::path::Path;

use super::*;

fn topics(names: &[(&str, Option<&[i32]>)]) -> Vec<TopicArg> {
    let topic = |(name, partitions): &(&str, Option<&[i32]>)| TopicArg {
        topic: TopicName::from(*name),
        partitions: partitions.map(|all| all.iter().map(|number| Partition(*number)).collect()),
    };
    names.iter().map(topic).collect()
}

#[test]
fn every_scope_is_taken() {
    let args = plan(&["--topic", "orders", "--topic", "payments:2,0", "--to-latest"]).unwrap();
    let expected = topics(&[("orders", None), ("payments", Some(&[2, 0]))]);
    assert_eq!(args.scope(), Ok(Scope::Topics(&expected)));
    let args = plan(&["--committed", "--to-latest"]).unwrap();
    assert_eq!(args.scope(), Ok(Scope::Committed { exclude: &[] }));
    let args = plan(&[
        "--committed",
        "--exclude-topic",
        "a",
        "--exclude-topic",
        "b",
        "--to-latest",
    ])
    .unwrap();
    let excluded = [TopicName::from("a"), TopicName::from("b")];
    assert_eq!(args.scope(), Ok(Scope::Committed { exclude: &excluded }));
    let args = plan(&["--from-file", "f"]).unwrap();
    assert_eq!(args.scope(), Ok(Scope::File { topic: None }));
    let args = plan(&["--topic", "a", "--from-file", "f"]).unwrap();
    assert_eq!(
        args.scope(),
        Ok(Scope::File {
            topic: Some(&TopicName::from("a"))
        })
    );
}

#[test]
fn a_file_goes_with_one_whole_topic_or_none() {
    for line in [
        &["--topic", "a:0", "--from-file", "f"][..],
        &["--topic", "a", "--topic", "b", "--from-file", "f"],
    ] {
        let told = plan(line).unwrap().scope().unwrap_err();
        assert_eq!(
            told,
            "--from-file takes one --topic at most, without partitions: the file names them"
        );
    }
}

#[test]
fn every_target_is_taken() {
    let target = |line: &[&str]| format!("{:?}", plan(&[&["--topic", "t"], line].concat()).unwrap().target());
    let shown = |target: Target<'_>| format!("{target:?}");
    let offset = |raw| Offset::new(raw).unwrap();
    assert_eq!(target(&["--to-offset", "0"]), shown(Target::Offset(Offset::ZERO)));
    let last = i64::MAX.to_string();
    assert_eq!(target(&["--to-offset", &last]), shown(Target::Offset(offset(i64::MAX))));
    assert_eq!(target(&["--to-earliest"]), shown(Target::Earliest));
    assert_eq!(target(&["--to-latest"]), shown(Target::Latest));
    assert_eq!(target(&["--to-current"]), shown(Target::Current));
    assert_eq!(target(&["--shift-by", "-10"]), shown(Target::Shift(-10)));
    assert_eq!(target(&["--shift-by", "+10"]), shown(Target::Shift(10)));
    assert_eq!(
        target(&["--to-datetime", "2024-05-01T08:00"]),
        shown(Target::Datetime("2024-05-01T08:00"))
    );
    assert_eq!(target(&["--by-duration", "PT2H"]), shown(Target::Ago("PT2H")));
    assert_eq!(target(&["--forget"]), shown(Target::Forget));
    assert_eq!(target(&["--from-file", "f"]), shown(Target::File(Path::new("f"))));
}

#[test]
fn what_is_missing_or_excludes_another_is_wrong_usage() {
    let wrong: [(&[&str], ErrorKind); 11] = [
        (&["--to-latest"], ErrorKind::MissingRequiredArgument),
        (&["--topic", "a"], ErrorKind::MissingRequiredArgument),
        (&["--committed"], ErrorKind::MissingRequiredArgument),
        (
            &["--committed", "--topic", "a", "--to-latest"],
            ErrorKind::ArgumentConflict,
        ),
        (&["--committed", "--from-file", "f"], ErrorKind::ArgumentConflict),
        (
            &["--topic", "a", "--to-latest", "--to-earliest"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--topic", "a", "--to-latest", "--from-file", "f"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--topic", "a", "--exclude-topic", "b", "--to-latest"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--topic", "a", "--to-latest", "--admin", "http://x"],
            ErrorKind::MissingRequiredArgument,
        ),
        (
            &["--topic", "a", "--to-latest", "--token-file", "f"],
            ErrorKind::MissingRequiredArgument,
        ),
        (&["--topic", "a", "--to-offset", "-1"], ErrorKind::ValueValidation),
    ];
    for (line, kind) in wrong {
        assert_eq!(plan(line).err(), Some(kind), "{line:?}");
    }
    assert_eq!(
        parsed::<PlanArgs>(&["--topic", "a", "--to-latest"]).err(),
        Some(ErrorKind::MissingRequiredArgument)
    );
}

#[test]
fn what_is_no_topic_or_offset_is_refused() {
    for topic in [
        "",
        ":",
        "a:",
        ":0",
        "a:0,",
        "a:x",
        "a:-1",
        "a:0:1",
        "a:0,0",
        "a:2147483648",
    ] {
        assert_eq!(
            plan(&["--topic", topic, "--to-latest"]).err(),
            Some(ErrorKind::ValueValidation),
            "{topic}"
        );
    }
    for offset in ["x", "1.5", "9223372036854775808", ""] {
        let line = ["--topic", "a", "--to-offset", offset];
        assert_eq!(plan(&line).err(), Some(ErrorKind::ValueValidation), "{offset}");
    }
}

#[test]
fn the_output_of_a_plan_is_json_unless_a_table_is_wanted() {
    let line = ["--topic", "a", "--to-latest"];
    assert_eq!(plan(&line).map(|args| args.output), Ok(Output::Json));
    let line = ["--topic", "a", "--to-latest", "--output", "table"];
    assert_eq!(plan(&line).map(|args| args.output), Ok(Output::Table));
}

#[test]
fn execute_wants_the_plan_and_the_group_once_more() {
    let args: ExecuteArgs = parsed(&["plan.json", "--confirm", " g", "--wait", "5m"]).unwrap();
    assert_eq!(
        (args.plan.as_path(), args.confirm),
        (Path::new("plan.json"), GroupId::from(" g"))
    );
    assert_eq!(args.wait, Some(Duration::from_secs(300)));
    assert_eq!(
        parsed::<ExecuteArgs>(&["plan.json"]).err(),
        Some(ErrorKind::MissingRequiredArgument)
    );
    let unitless = ["plan.json", "--confirm", "g", "--wait", "5"];
    assert_eq!(parsed::<ExecuteArgs>(&unitless).err(), Some(ErrorKind::ValueValidation));
}

#[test]
fn export_wants_a_group() {
    let args: ExportArgs = parsed(&["--group", "g", "--topic", "a", "--topic", "b"]).unwrap();
    assert_eq!(args.topic, [TopicName::from("a"), TopicName::from("b")]);
    assert_eq!(
        parsed::<ExportArgs>(&[]).err(),
        Some(ErrorKind::MissingRequiredArgument)
    );
}
