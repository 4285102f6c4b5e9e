//! `lag`

use super::*;

#[test]
fn a_group_may_have_any_bytes_for_a_name() {
    let words = [
        OsString::from("tidemark"),
        "--group".into(),
        OsString::from_vec(b" a\xff\n".to_vec()),
    ];
    let alone = Alone::<LagArgs>::try_parse_from(words).unwrap();
    assert_eq!(alone.args.group, Some(GroupId::from(&b" a\xff\n"[..])));
}

#[test]
fn the_output_is_a_table_or_json() {
    assert_eq!(parsed::<LagArgs>(&[]).map(|args| args.output), Ok(Output::Table));
    assert_eq!(
        parsed::<LagArgs>(&["--output", "json"]).map(|args| args.output),
        Ok(Output::Json)
    );
    assert_eq!(
        parsed::<LagArgs>(&["--output", "xml"]).err(),
        Some(ErrorKind::InvalidValue)
    );
}
