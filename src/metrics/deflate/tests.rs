use std::io::Read as _;

use flate2::read::DeflateDecoder;
use proptest::prelude::*;

use super::*;

fn chunk(lines: &[&[u8]]) -> Chunk {
    let mut deflater = Deflater::new();
    lines.iter().for_each(|line| deflater.write(line));
    deflater.finish()
}

/// What an inflater that is not ours makes of it, behind an end of the stream.
fn inflated(chunks: &[Chunk]) -> Vec<u8> {
    let mut stream: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.deflated.concat()).collect();
    stream.extend([3, 0]);
    let mut text = Vec::new();
    DeflateDecoder::new(&stream[..])
        .read_to_end(&mut text)
        .expect("inflates");
    text
}

fn checked(chunk: &Chunk, text: &[u8]) {
    assert!(inflated(std::slice::from_ref(chunk)) == text, "{} bytes", text.len());
    assert_eq!(chunk.sum.total_len(), text.len() as u64);
    assert_eq!(chunk.sum.clone().finalize(), crc32fast::hash(text));
}

fn samples(count: u32) -> String {
    let line = |n: u32| {
        let (group, partition) = (n / 100, n % 100);
        let value = u64::from(n) * u64::from(n) % 100_003;
        format!("kafka_lag{{group=\"group-{group:05}\",topic=\"t-{group}\",partition=\"{partition}\"}} {value}\n")
    };
    (0..count).map(line).collect()
}

#[test]
fn no_text_is_no_chunk() {
    let nothing = chunk(&[]);
    assert!(nothing.is_empty() && nothing.sum.total_len() == 0);
    assert!(chunk(&[b""]).is_empty());
}

#[test]
fn many_blocks_and_pieces_inflate_to_what_was_written_and_are_a_fraction_of_it() {
    let text = samples(100_000);
    let whole = chunk(&[text.as_bytes()]);
    checked(&whole, text.as_bytes());
    let size: usize = whole.deflated.iter().map(Bytes::len).sum();
    assert!(
        whole.deflated.len() > 3 && size * 10 < text.len(),
        "{size} of {}",
        text.len()
    );
    assert!(whole.deflated.iter().all(|piece| piece.len() < 2 * PIECE));
}

#[test]
fn chunks_of_one_deflater_know_nothing_of_each_other() {
    let mut deflater = Deflater::new();
    let texts = [samples(3), samples(2_000), String::new(), "x\n".to_owned(), samples(3)];
    let chunks: Vec<Chunk> = texts
        .iter()
        .map(|text| {
            deflater.write(text.as_bytes());
            deflater.finish()
        })
        .collect();
    chunks
        .iter()
        .zip(&texts)
        .for_each(|(chunk, text)| checked(chunk, text.as_bytes()));
    let back_to_front: Vec<Chunk> = chunks.iter().rev().cloned().collect();
    let expected: String = texts.iter().rev().map(String::as_str).collect();
    assert_eq!(String::from_utf8_lossy(&inflated(&back_to_front)), expected);
}

#[test]
fn lines_longer_than_a_window_are_not_compared_with_what_is_too_far() {
    let long = "a\"b".repeat(20_000) + "\n";
    checked(
        &chunk(&[long.as_bytes(), long.as_bytes(), b"a\"b\n"]),
        (long.clone() + &long + "a\"b\n").as_bytes(),
    );
}

#[test]
fn repetitions_of_every_length_are_said() {
    for length in (0..20).chain(250..280).chain(510..530) {
        let line = "z".repeat(length) + "\n";
        let text = line.repeat(3) + "y\n" + &line;
        checked(&chunk(&[text.as_bytes()]), text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_written_inflates_to_the_same(
        lines in prop::collection::vec(prop_oneof![
            prop::collection::vec(prop_oneof![Just(b'"'), Just(b'a'), Just(b'1'), any::<u8>()], 0..60),
            "x\\{g=\"[ab]{1,9}\",p=\"[0-9]{1,3}\"\\} [0-9]{1,6}".prop_map(String::into_bytes),
        ], 0..400),
        times in 1..8usize,
    ) {
        let text = (lines.join(&b'\n').repeat(times).to_vec(), b"\n".to_vec());
        let text = [text.0, text.1].concat();
        checked(&chunk(&[&text]), &text);
    }
}
