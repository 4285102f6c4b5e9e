//! The primitives, byte by byte.

use super::*;

fn classic(bytes: &[u8]) -> Reader<'_> {
    Reader::new(bytes, Encoding::Classic)
}

fn flexible(bytes: &[u8]) -> Reader<'_> {
    Reader::new(bytes, Encoding::Flexible)
}

#[test]
fn numbers_are_big_endian_and_signed() {
    let mut reader = classic(b"\xff\xff\xfe\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff\x01");
    assert_eq!(reader.int8("a"), Ok(-1));
    assert_eq!(reader.int16("b"), Ok(-2));
    assert_eq!(reader.int32("c"), Ok(i32::MIN));
    assert_eq!(reader.int64("d"), Ok(i64::MAX));
    assert_eq!(reader.boolean("e"), Ok(true));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn what_is_cut_short_says_what_and_where() {
    let mut reader = classic(b"\0\x01\0");
    assert_eq!(reader.int16("a"), Ok(1));
    let error = reader.int32("the offset").unwrap_err();
    assert_eq!(
        error,
        ReadError::Ends {
            what: "the offset",
            at: 2
        }
    );
    assert_eq!(error.to_string(), "the answer ends at byte 2, within the offset");
    // Nothing was consumed by the attempt.
    assert_eq!(reader.int8("b"), Ok(0));
}

#[test]
fn strings_of_both_encodings_are_bytes_and_may_be_null() {
    let mut reader = classic(b"\0\x02\xff\xfe\0\0\xff\xff");
    assert_eq!(reader.string("a"), Ok(&b"\xff\xfe"[..]));
    assert_eq!(reader.string("b"), Ok(&b""[..]));
    assert_eq!(reader.nullable_string("c"), Ok(None));
    let mut reader = flexible(b"\x03\xff\xfe\x01\0");
    assert_eq!(reader.string("a"), Ok(&b"\xff\xfe"[..]));
    assert_eq!(reader.string("b"), Ok(&b""[..]));
    assert_eq!(reader.nullable_string("c"), Ok(None));
}

#[test]
fn null_where_there_has_to_be_a_value_is_refused() {
    assert_eq!(
        classic(b"\xff\xff").string("id"),
        Err(ReadError::Null { what: "id", at: 0 })
    );
    assert_eq!(flexible(b"\0").string("id"), Err(ReadError::Null { what: "id", at: 0 }));
    let list = flexible(b"\0").list::<_, 1>("ids", |reader| reader.int8("id"));
    assert_eq!(list, Err(ReadError::Null { what: "ids", at: 0 }));
}

#[test]
fn lengths_below_minus_one_are_refused() {
    let refused = Err(ReadError::Negative {
        what: "id",
        at: 2,
        claimed: -2,
    });
    assert_eq!(classic(b"\xff\xfe").string("id"), refused);
    let bytes = classic(b"\x80\0\0\0").nullable_bytes("id");
    assert_eq!(
        bytes,
        Err(ReadError::Negative {
            what: "id",
            at: 4,
            claimed: i32::MIN
        })
    );
}

#[test]
fn a_string_longer_than_the_answer_is_refused() {
    let refused = |at| {
        Err(ReadError::TooLong {
            what: "id",
            at,
            claimed: 3,
            left: 2,
        })
    };
    assert_eq!(classic(b"\0\x03ab").string("id"), refused(2));
    assert_eq!(flexible(b"\x04ab").string("id"), refused(1));
}

#[test]
fn variable_length_numbers_have_at_most_32_bits() {
    let read = |bytes: &[u8]| flexible(bytes).varint("n");
    assert_eq!(read(b"\0"), Ok(0));
    assert_eq!(read(b"\x7f"), Ok(127));
    assert_eq!(read(b"\x80\x01"), Ok(128));
    assert_eq!(read(b"\xff\xff\xff\xff\x0f"), Ok(u32::MAX));
    assert_eq!(
        read(b"\xff\xff\xff\xff\x10"),
        Err(ReadError::Varint { what: "n", at: 0 })
    );
    assert_eq!(
        read(b"\x80\x80\x80\x80\x80\x01"),
        Err(ReadError::Varint { what: "n", at: 0 })
    );
    assert_eq!(read(b"\xff\xff"), Err(ReadError::Ends { what: "n", at: 2 }));
}

#[test]
fn tagged_fields_are_read_over_and_only_where_they_are_written() {
    let mut reader = flexible(b"\x02\x00\x03abc\x85\x01\x00\x07");
    assert_eq!(reader.tags(), Ok(()));
    assert_eq!(reader.int8("next"), Ok(7));
    let mut reader = classic(b"\x02");
    assert_eq!(reader.tags(), Ok(()));
    assert_eq!(reader.int8("next"), Ok(2));
    assert!(flexible(b"\xff\xff\xff\xff\x0f\0\0").tags().is_err());
}

#[test]
fn bytes_that_are_left_over_are_refused() {
    let mut reader = classic(b"\0\0\0");
    assert_eq!(reader.int16("a"), Ok(0));
    assert_eq!(reader.finish(), Err(ReadError::LeftOver { at: 2, left: 1 }));
}

#[test]
fn an_array_of_two_billion_elements_is_refused_before_anything_is_reserved() {
    let refused = |at| {
        Err(ReadError::TooLong {
            what: "groups",
            at,
            claimed: i32::MAX as usize,
            left: 3,
        })
    };
    let never = |_: &mut Reader<'_>| -> Result<[u8; 64], ReadError> { unreachable!("no element is read") };
    assert_eq!(
        classic(b"\x7f\xff\xff\xff\0\0\0").list::<_, 1>("groups", never),
        refused(4)
    );
    // One more, as lengths are written plus one.
    assert_eq!(
        flexible(b"\x80\x80\x80\x80\x08\0\0\0").list::<_, 1>("groups", never),
        refused(5)
    );
    let read_over = flexible(b"\x80\x80\x80\x80\x08\0\0\0").pass::<1>("groups", |_| unreachable!("no element is read"));
    assert_eq!(read_over.map(drop), refused(5).map(drop::<Vec<[u8; 64]>>));
}

#[test]
fn more_elements_than_their_fewest_bytes_allow_are_refused() {
    let two = |bytes| classic(bytes).list::<_, 4>("numbers", |reader| reader.int32("number"));
    assert_eq!(two(b"\0\0\0\x02\0\0\0\x01\0\0\0\x02"), Ok(vec![1, 2]));
    assert_eq!(
        two(b"\0\0\0\x02\0\0\0\x01\0\0\0"),
        Err(ReadError::TooLong {
            what: "numbers",
            at: 4,
            claimed: 2,
            left: 7
        })
    );
}

#[test]
fn a_list_reserves_what_it_claims_and_no_more() {
    let list = classic(b"\0\0\0\x03\x01\x02\x03").list::<_, 1>("n", |reader| reader.int8("n").map(i64::from));
    assert_eq!(list.map(|list| list.capacity()), Ok(3));
}

#[test]
fn all_lists_of_an_answer_together_reserve_at_most_a_small_multiple_of_it() {
    // A list of lists, each of elements of one byte that would take a kilobyte.
    let inner = 5_000_u16;
    let mut answer = vec![0, 0, 0, 100];
    for _ in 0..100 {
        answer.extend([0, 0]);
        answer.extend(inner.to_be_bytes());
        answer.extend(std::iter::repeat_n(0, inner.into()));
    }
    let most = answer.len() * GROWTH + ALLOWANCE;
    let mut reserved = 0;
    let outcome = classic(&answer).list::<_, 4>("lists", |reader| {
        let list = reader.list::<_, 1>("inner", |reader| reader.int8("n").map(|_| [0_u8; 1024]))?;
        reserved += list.capacity() * 1024;
        Ok(list)
    });
    assert!(
        matches!(outcome, Err(ReadError::TooLarge { what: "inner", .. })),
        "{:?}",
        outcome.err()
    );
    assert!(reserved > 0 && reserved <= most, "{reserved} of {most}");
}
