use proptest::prelude::*;

use super::*;

fn rows(text: &str, form: Form<'_>) -> Vec<(String, i32, i64)> {
    let rows = parse(text.as_bytes(), form).expect("a good file");
    rows.into_iter()
        .map(|row| (row.topic, row.partition, row.offset.map_or(-1, Offset::get)))
        .collect()
}

fn complaints(text: impl AsRef<[u8]>, form: Form<'_>) -> Vec<String> {
    let bad = parse(text.as_ref(), form).expect_err("a bad file");
    bad.iter().map(ToString::to_string).collect()
}

#[test]
fn lines_of_one_topic_are_partition_and_offset() {
    let expected = vec![("t".to_owned(), 0, 5), ("t".to_owned(), 12, i64::MAX)];
    for text in [
        "0,5\n12,9223372036854775807\n",
        "0,5\r\n\r\n  \n12,9223372036854775807",
        "\"0\",\"5\"\n\n12 , 9223372036854775807\n\n",
    ] {
        assert_eq!(rows(text, Form::OneTopic("t")), expected, "{text:?}");
    }
}

#[test]
fn lines_of_kafkas_export_may_be_quoted_or_bare() {
    let expected = vec![
        ("orders".to_owned(), 0, 5),
        ("a.very.long.topic.name-of.27".to_owned(), 1, 6),
    ];
    for text in [
        "orders,0,5\na.very.long.topic.name-of.27,1,6\n",
        "orders,0,5\n\"a.very.long.topic.name-of.27\",1,6\n",
        "\u{feff}\"orders\",\"0\",\"5\"\n\n\"a.very.long.topic.name-of.27\",1,6",
    ] {
        assert_eq!(rows(text, Form::Topics), expected, "{text:?}");
    }
    assert_eq!(rows("\"a\"\"b\",0,1\n", Form::Topics), [("a\"b".to_owned(), 0, 1)]);
}

#[test]
fn every_bad_line_is_named_with_its_number_and_nothing_is_taken() {
    let text = "0,5\n\n1\n2,x\n-1,5\n3,-5\n4,5,6\n0,7\n5,9223372036854775808\n6,1.0\n7, \n\"8,1\n9,+1\n10,1 0\n";
    assert_eq!(
        complaints(text, Form::OneTopic("t")),
        [
            "line 3: 1 fields, not \"partition,offset\" of topic \"t\"",
            "line 4: \"x\" is no offset",
            "line 5: \"-1\" is no partition",
            "line 6: \"-5\" is no offset",
            "line 7: 3 fields, not \"partition,offset\" of topic \"t\"",
            "line 8: t/0 is on line 1 already",
            "line 9: \"9223372036854775808\" is no offset",
            "line 10: \"1.0\" is no offset",
            "line 11: \"\" is no offset",
            "line 12: a quote is not closed",
            "line 13: \"+1\" is no offset",
            "line 14: \"1 0\" is no offset",
        ]
    );
}

#[test]
fn a_file_of_the_other_form_is_refused() {
    assert_eq!(
        complaints("0,5\n", Form::Topics),
        ["line 1: 2 fields, not \"topic,partition,offset\""]
    );
    assert_eq!(
        complaints("g,orders,0,5\n", Form::Topics),
        ["line 1: 4 fields, not \"topic,partition,offset\""]
    );
    assert_eq!(complaints(",0,5\n", Form::Topics), ["line 1: the topic is empty"]);
    assert_eq!(
        complaints("topic,partition,offset\n", Form::Topics),
        ["line 1: \"partition\" is no partition"]
    );
    assert_eq!(complaints(b"ok,0,1\nb\xff,0,5\n", Form::Topics), ["line 2: not UTF-8"]);
}

#[test]
fn a_file_without_an_offset_is_refused() {
    for text in ["", "\n \n"] {
        assert_eq!(
            complaints(text, Form::Topics),
            ["line 1: the file has no line with an offset"]
        );
    }
}

#[test]
fn an_export_quotes_what_kafkas_own_tool_quotes() {
    let offset = Offset::new(7).expect("not negative");
    let line = |topic: &str| export([(topic.to_owned(), 3, offset)]);
    assert_eq!(line("orders"), "orders,3,7\n");
    assert_eq!(line("a-name_with.all-24-chars"), "a-name_with.all-24-chars,3,7\n");
    assert_eq!(line("a-name_with.more-25-chars"), "\"a-name_with.more-25-chars\",3,7\n");
    assert_eq!(line("a b\"c"), "\"a b\"\"c\",3,7\n");
}

proptest! {
    #[test]
    fn what_is_exported_is_read_back(found in prop::collection::btree_map(("[a-zA-Z0-9._\" ,-]{0,29}[a-z]", 0..i32::MAX), 0..i64::MAX, 1..20)) {
        // Blanks around a name are not kept; no topic has any.
        let all: Vec<_> = found.into_iter().map(|((topic, partition), raw)| (topic.trim().to_owned(), partition, raw)).collect();
        prop_assume!(all.iter().map(|(topic, partition, _)| (topic, partition)).collect::<std::collections::HashSet<_>>().len() == all.len());
        let text = export(all.iter().map(|(topic, partition, raw)| (topic.clone(), *partition, Offset::new(*raw).expect("not negative"))));
        prop_assert_eq!(rows(&text, Form::Topics), all);
    }

    #[test]
    fn no_file_makes_the_reader_panic(bytes: Vec<u8>) {
        let _ = parse(&bytes, Form::Topics);
        let _ = parse(&bytes, Form::OneTopic("t"));
    }
}
