//! One block of deflate with codes of its own (RFC 1951, 3.2.7), made of literals and of repetitions.

use super::bits::Bits;
use super::huffman::Codes;
use super::huffman::LONGEST;

/// Literals, the end of a block, and lengths.
const LITERALS: usize = 286;
const DISTANCES: usize = 30;
/// The symbols in which code lengths are written.
const LENGTHS: usize = 19;
/// The order in which the lengths of those symbols' own codes are written.
const ORDER: [usize; LENGTHS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END: usize = 256;

/// What a repetition may be.
pub(super) const SHORTEST: usize = 3;
pub(super) const LONGEST_MATCH: usize = 258;
pub(super) const FARTHEST: usize = 32 * 1024;

/// Symbols of a block that is not written yet, and how often each comes.
#[derive(Debug)]
pub(super) struct Block {
    symbols: Vec<Symbol>,
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
    /// Bits that follow symbols as they are.
    extra: u64,
}

/// A literal below 256; else 256 and more is a distance, shifted left by 9, beside a length.
#[derive(Clone, Copy, Debug)]
struct Symbol(u32);

/// A length or a distance: its symbol, and bits that say which of the numbers with this symbol.
#[derive(Clone, Copy)]
struct Number {
    symbol: usize,
    bits: u64,
    count: u32,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            symbols: Vec::new(),
            literals: [0; LITERALS],
            distances: [0; DISTANCES],
            extra: 0,
        }
    }
}

impl Block {
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    #[inline]
    pub(super) fn literal(&mut self, byte: u8) {
        self.literals[usize::from(byte)] += 1;
        self.symbols.push(Symbol(byte.into()));
    }

    /// So many bytes are the same as those so far before them: of [`SHORTEST`] to [`LONGEST_MATCH`], within [`FARTHEST`].
    #[inline]
    pub(super) fn repeat(&mut self, length: usize, distance: usize) {
        let (of_length, of_distance) = (length_number(length), distance_number(distance));
        self.literals[of_length.symbol] += 1;
        self.distances[of_distance.symbol] += 1;
        self.extra += u64::from(of_length.count + of_distance.count);
        // Both fit: 9 bits and 16.
        self.symbols.push(Symbol(low(distance) << 9 | low(length)));
    }

    /// Writes the block, which is not the last one, and begins another.
    pub(super) fn write(&mut self, out: &mut Bits) {
        self.literals[END] = 1;
        let literals = Codes::of(&self.literals, LONGEST);
        let distances = Codes::of(&self.distances, LONGEST);
        let size = self.extra + literals.cost(&self.literals) + distances.cost(&self.distances);
        // Beside the symbols no more than a header.
        out.bytes.reserve(usize::try_from(size / 8).unwrap_or(0) + 512);
        header(&literals, &distances, out);
        for symbol in self.symbols.drain(..) {
            symbol.write(&literals, &distances, out);
        }
        put(&literals, END, out);
        *self = Self {
            symbols: std::mem::take(&mut self.symbols),
            ..Self::default()
        };
    }
}

impl Symbol {
    fn write(self, literals: &Codes<LITERALS>, distances: &Codes<DISTANCES>, out: &mut Bits) {
        let distance = (self.0 >> 9) as usize;
        if distance == 0 {
            return put(literals, self.0 as usize, out);
        }
        let length = length_number((self.0 & 0x1ff) as usize);
        put(literals, length.symbol, out);
        out.push(length.bits, length.count);
        let distance = distance_number(distance);
        put(distances, distance.symbol, out);
        out.push(distance.bits, distance.count);
    }
}

fn put<const N: usize>(codes: &Codes<N>, symbol: usize, out: &mut Bits) {
    out.push(codes.bits[symbol].into(), codes.lengths[symbol].into());
}

/// Lengths of both alphabets' codes, in runs, themselves coded.
fn header(literals: &Codes<LITERALS>, distances: &Codes<DISTANCES>, out: &mut Bits) {
    let literals = up_to_last(&literals.lengths, 257);
    let distances = up_to_last(&distances.lengths, 1);
    let runs = runs(&[literals, distances].concat());
    let mut counts = [0; LENGTHS];
    for run in &runs {
        counts[run.symbol] += 1;
    }
    let codes = Codes::of(&counts, 7);
    let told = ORDER.iter().rposition(|symbol| codes.lengths[*symbol] > 0);
    let told = told.map_or(4, |last| (last + 1).max(4));
    // Not the last block, and with codes of its own.
    out.push(0b100, 3);
    out.push(u64::from(low(literals.len() - 257)), 5);
    out.push(u64::from(low(distances.len() - 1)), 5);
    out.push(u64::from(low(told - 4)), 4);
    for symbol in &ORDER[..told] {
        out.push(codes.lengths[*symbol].into(), 3);
    }
    for run in runs {
        put(&codes, run.symbol, out);
        out.push(run.bits, run.count);
    }
}

fn up_to_last(lengths: &[u8], least: usize) -> &[u8] {
    let last = lengths.iter().rposition(|length| *length > 0).unwrap_or(0);
    &lengths[..(last + 1).max(least)]
}

/// Code lengths as symbols of their own alphabet: 16 repeats the one before, 17 and 18 are zeros.
fn runs(lengths: &[u8]) -> Vec<Number> {
    let mut runs = Vec::with_capacity(lengths.len());
    let mut at = 0;
    let mut before = None;
    while let Some(&length) = lengths.get(at) {
        let same = lengths[at..].iter().take_while(|other| **other == length).count();
        let (symbol, bits, count, taken) = match same {
            11.. if length == 0 => (18, same.min(138) - 11, 7, same.min(138)),
            3.. if length == 0 => (17, same - 3, 3, same),
            3.. if before == Some(length) => (16, same.min(6) - 3, 2, same.min(6)),
            _ => (usize::from(length), 0, 0, 1),
        };
        let bits = u64::from(low(bits));
        runs.push(Number { symbol, bits, count });
        before = Some(length);
        at += taken;
    }
    runs
}

/// RFC 1951, 3.2.5: four symbols for each power of two, the longest has one of its own.
fn length_number(length: usize) -> Number {
    if length == LONGEST_MATCH {
        return Number {
            symbol: LITERALS - 1,
            bits: 0,
            count: 0,
        };
    }
    number(length - SHORTEST, 2, END + 1)
}

/// The same with two symbols for each power of two.
fn distance_number(distance: usize) -> Number {
    number(distance - 1, 1, 0)
}

/// The two or four symbols of a power of two say the bits below its highest, and the rest follows.
fn number(value: usize, told: u32, first: usize) -> Number {
    let value = low(value);
    let highest = value.checked_ilog2().unwrap_or(0);
    if highest <= told {
        return Number {
            symbol: first + value as usize,
            bits: 0,
            count: 0,
        };
    }
    let count = highest - told;
    let symbol = ((count << told) + (value >> count)) as usize;
    Number {
        symbol: first + symbol,
        bits: u64::from(value & ((1 << count) - 1)),
        count,
    }
}

/// Everything counted here is below 2^16.
fn low(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_distances_are_numbered_as_the_format_has_them() {
        for (length, symbol, bits, count) in [
            (3, 257, 0, 0),
            (10, 264, 0, 0),
            (11, 265, 0, 1),
            (12, 265, 1, 1),
            (18, 268, 1, 1),
            (19, 269, 0, 2),
            (130, 280, 15, 4),
            (131, 281, 0, 5),
            (257, 284, 30, 5),
            (258, 285, 0, 0),
        ] {
            let number = length_number(length);
            assert_eq!(
                (number.symbol, number.bits, number.count),
                (symbol, bits, count),
                "{length}"
            );
        }
        for (distance, symbol, bits, count) in [
            (1, 0, 0, 0),
            (4, 3, 0, 0),
            (5, 4, 0, 1),
            (6, 4, 1, 1),
            (7, 5, 0, 1),
            (193, 15, 0, 6),
            (24_577, 29, 0, 13),
            (32_768, 29, 8_191, 13),
        ] {
            let number = distance_number(distance);
            assert_eq!(
                (number.symbol, number.bits, number.count),
                (symbol, bits, count),
                "{distance}"
            );
        }
    }

    #[test]
    fn code_lengths_are_written_in_runs() {
        let mut lengths = vec![0; 150];
        lengths.extend([5; 9]);
        lengths.extend([0, 0, 0, 0, 7, 7]);
        let shown: Vec<_> = runs(&lengths).iter().map(|run| (run.symbol, run.bits)).collect();
        assert_eq!(
            shown,
            [
                (18, 127),
                (18, 1),
                (5, 0),
                (16, 3),
                (5, 0),
                (5, 0),
                (17, 1),
                (7, 0),
                (7, 0)
            ]
        );
    }
}
