//! The codec is the oracle: for every API and every version, what it encodes as a broker is read back, in every field that is used.
//! From each such answer hostile ones are made: cut off, prolonged, altered.

mod api_versions;
mod configs;
mod coordinators;
mod draw;
mod fetches;
mod groups;
mod header;
mod listings;
mod metadata;
mod sasl;
mod writes;

use std::collections::BTreeMap;
use std::fmt::Debug;

use kafka_protocol::protocol::Encodable;
use kafka_protocol::protocol::StrBytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use proptest::test_runner::TestCaseResult;
use proptest::test_runner::TestRunner;

use self::draw::Draw;
use super::*;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::kafka::wire::ReadError;
use crate::model::Offset;
use crate::model::Partition;
use crate::model::TopicName;

/// Of proptest's number of cases (256, or `PROPTEST_CASES` for a longer run) each version of each API gets this fraction.
const FRACTION: u32 = 6;

/// Stands in generated texts for bytes that are not UTF-8, which the codec could not hold.
const MARK: &str = "\u{e000}\u{e001}\u{e002}\u{e003}";

/// What the mark is replaced by in the encoded answer.
const FOREIGN: &[u8; 12] = b"\xff\xfe\xc3\x28\x00\x80\xf0\x28\x8c\xbc\xc0\x80";

/// Holds for every version: what the codec encodes is read as `expect` says, and nothing made from it makes `read` panic.
fn hold<R, A>(
    api: Api,
    make: impl Fn(&mut Draw<'_>, i16) -> R,
    read: impl Fn(&[u8], i16) -> Result<A, ReadError>,
    expect: impl Fn(&R, i16) -> A,
) where
    R: Encodable + Debug,
    A: Debug + PartialEq,
{
    let all = versions(api).expect("the API is read");
    // What the codec cannot encode has examples by hand.
    for version in all.filter(|version| (api, *version) != (Api::DescribeShareGroupOffsets, 1)) {
        let config = Config {
            cases: Config::default().cases / FRACTION,
            failure_persistence: None,
            ..Config::default()
        };
        let outcome =
            TestRunner::new(config).run(&(vec(any::<u8>(), 0..600), vec(any::<u8>(), 64)), |(seed, hostile)| {
                let answer = make(&mut Draw::new(&seed), version);
                let mut body = Vec::new();
                answer
                    .encode(&mut body, version)
                    .map_err(|error| TestCaseError::fail(format!("{error}: {answer:?}")))?;
                let body = with_foreign_bytes(&body);
                prop_assert_eq!(read(&body, version), Ok(expect(&answer, version)), "{:?}", answer);
                refuse_what_is_cut_or_prolonged(&body, |body| read(body, version).err())?;
                survive(&body, &mut Draw::new(&hostile), |body| drop(read(body, version)));
                Ok(())
            });
        outcome.unwrap_or_else(|error| panic!("{api} v{version}: {error}"));
    }
}

fn refuse_what_is_cut_or_prolonged(body: &[u8], read: impl Fn(&[u8]) -> Option<ReadError>) -> TestCaseResult {
    for length in (0..body.len()).step_by(body.len() / 50 + 1) {
        prop_assert!(
            read(&body[..length]).is_some(),
            "cut off at {} of {}",
            length,
            body.len()
        );
    }
    let prolonged = [body, b"\0"].concat();
    let left_over = ReadError::LeftOver {
        at: body.len(),
        left: 1,
    };
    prop_assert_eq!(read(&prolonged), Some(left_over));
    Ok(())
}

/// Single bytes, lengths of every width and whole stretches are overwritten; whatever comes of it, nothing may panic.
fn survive(body: &[u8], draw: &mut Draw<'_>, read: impl Fn(&[u8])) {
    let lengths: [&[u8]; 6] = [
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff\x0f",
        b"\xff\xff",
        b"\x80\0\0\0",
        b"\x7f\xff",
        b"\0",
    ];
    for _ in 0..8 {
        let mut altered = body.to_vec();
        for _ in 0..=draw.byte() % 3 {
            let from = draw.below(altered.len());
            let single = [draw.byte()];
            let new = match draw.byte() {
                kind @ 0..150 => lengths[usize::from(kind) % lengths.len()],
                _ => &single,
            };
            for (old, new) in altered[from..].iter_mut().zip(new) {
                *old = *new;
            }
        }
        read(&altered);
    }
}

fn with_foreign_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    while let Some(at) = out.windows(MARK.len()).position(|window| window == MARK.as_bytes()) {
        out[at..at + MARK.len()].copy_from_slice(FOREIGN);
    }
    out
}

/// A name as it is read: with the foreign bytes that the codec could not hold.
fn name<N: for<'a> From<&'a [u8]>>(text: &StrBytes) -> N {
    N::from(&with_foreign_bytes(text.as_bytes())[..])
}

fn heard<T>(error: i16, value: T) -> Heard<T> {
    ErrorCode::new(error).map_or(Ok(value), |code| Err(Cause::Code(code)))
}

/// -1 is none; less is nonsense.
fn offset(error: i16, raw: i64) -> Heard<Option<Offset>> {
    heard(error, ())?;
    match raw {
        -1 => Ok(None),
        ..-1 => Err(Cause::Malformed),
        raw => Ok(Offset::new(raw)),
    }
}

/// Sorted, and of several with the same key the last one.
fn sorted<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> Vec<(K, V)> {
    entries.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect()
}

/// The same for topics with partitions: the partitions of topics of one name are put together first.
fn by_topic<T>(entries: impl IntoIterator<Item = (TopicName, Vec<(i32, T)>)>) -> Vec<(TopicName, Vec<(Partition, T)>)> {
    let mut topics = BTreeMap::<TopicName, BTreeMap<Partition, T>>::new();
    for (topic, partitions) in entries {
        let partitions = partitions.into_iter().map(|(index, value)| (Partition(index), value));
        topics.entry(topic).or_default().extend(partitions);
    }
    topics
        .into_iter()
        .map(|(topic, partitions)| (topic, partitions.into_iter().collect()))
        .collect()
}

proptest! {
    #[test]
    fn no_bytes_whatsoever_make_any_reader_panic(body in vec(any::<u8>(), 0..400), zeros in 0_usize..40) {
        // Zeros in front let more of the noise be reached: no error, short lists.
        let body = [vec![0; zeros], body].concat();
        let asked = crate::model::GroupId::from("asked");
        for api in Api::ALL {
            for version in versions(api).into_iter().flatten() {
                read_any(api, &body, version, &asked);
            }
        }
    }
}

#[test]
fn versions_beyond_the_known_ones_are_refused() {
    let error = list_groups::read(b"", 6, crate::model::BrokerId(1), &mut Names::new()).unwrap_err();
    assert_eq!(error.to_string(), "ListGroups v6 is not a version this reader knows");
    assert!(offset_delete::read(b"", -1, &mut Names::new()).is_err());
}

fn read_any(api: Api, body: &[u8], version: i16, asked: &crate::model::GroupId) {
    let names = &mut Names::new();
    match api {
        Api::ApiVersions => drop(super::api_versions::read(body, version)),
        Api::SaslHandshake => drop(sasl_handshake::read(body, version)),
        Api::SaslAuthenticate => drop(sasl_authenticate::read(body, version)),
        Api::Metadata => drop(super::metadata::read(body, version, names)),
        Api::FindCoordinator => drop(find_coordinator::read(body, version, asked, names)),
        Api::ListGroups => drop(list_groups::read(body, version, crate::model::BrokerId(0), names)),
        Api::DescribeGroups => drop(describe_groups::read(body, version, names)),
        Api::ConsumerGroupDescribe => drop(consumer_group_describe::read(body, version, names)),
        Api::ShareGroupDescribe => drop(share_group_describe::read(body, version, names)),
        Api::DescribeShareGroupOffsets => drop(describe_share_group_offsets::read(body, version, names)),
        Api::OffsetFetch => drop(offset_fetch::read_facts(body, version, asked, names)),
        Api::ListOffsets => drop(list_offsets::read(body, version, names)),
        Api::DescribeConfigs => drop(describe_configs::read(body, version, names)),
        Api::OffsetCommit => drop(offset_commit::read(body, version, names)),
        Api::OffsetDelete => drop(offset_delete::read(body, version, names)),
        Api::StreamsGroupDescribe => drop(super::streams_group_describe::read(body, version, names)),
        Api::Fetch => unreachable!("no version of it is read"),
    }
}
