//! Codes of a deflate block: the more often a symbol comes, the fewer bits it takes.

/// The longest code of literals, lengths and distances.
pub(super) const LONGEST: u8 = 15;

/// Codes of an alphabet of `N` symbols; a symbol of no bits does not occur.
pub(super) struct Codes<const N: usize> {
    /// How many bits each symbol takes.
    pub(super) lengths: [u8; N],
    /// The bits, the first one lowest: deflate packs codes from their root on.
    pub(super) bits: [u16; N],
}

impl<const N: usize> Codes<N> {
    /// Codes for symbols that come so often. There are always two at least: not every inflater takes fewer.
    pub(super) fn of(counts: &[u32; N], longest: u8) -> Self {
        let mut weights = *counts;
        for extra in 0..N {
            if weights.iter().filter(|weight| **weight > 0).count() >= 2 {
                break;
            }
            weights[extra] = weights[extra].max(1);
        }
        let lengths = loop {
            let lengths = lengths(&weights);
            if lengths.iter().all(|length| *length <= longest) {
                break lengths;
            }
            // Flatter weights, flatter tree: in the end all are the same.
            for weight in weights.iter_mut().filter(|weight| **weight > 0) {
                *weight = *weight / 2 + 1;
            }
        };
        Self {
            lengths,
            bits: canonical(&lengths),
        }
    }

    /// Bits that symbols take together that come so often.
    pub(super) fn cost(&self, counts: &[u32; N]) -> u64 {
        let each = counts.iter().zip(&self.lengths);
        each.map(|(count, length)| u64::from(*count) * u64::from(*length)).sum()
    }
}

/// A node of the tree while it grows: its weight, and what it is made of.
#[derive(Clone, Copy)]
struct Node {
    weight: u32,
    parent: usize,
}

/// Huffman's lengths, by two queues: leaves in order of weight, and the nodes made of them, which come in that order by themselves.
fn lengths<const N: usize>(weights: &[u32; N]) -> [u8; N] {
    let mut leaves: Vec<usize> = (0..N).filter(|symbol| weights[*symbol] > 0).collect();
    leaves.sort_unstable_by_key(|symbol| weights[*symbol]);
    let count = leaves.len();
    let mut nodes: Vec<Node> = Vec::with_capacity(2 * count);
    nodes.extend(leaves.iter().map(|symbol| Node {
        weight: weights[*symbol],
        parent: 0,
    }));
    let (mut leaf, mut inner) = (0, count);
    while nodes.len() < 2 * count - 1 {
        let parent = nodes.len();
        let mut lightest = || {
            let takes_leaf = leaf < count && (inner == parent || nodes[leaf].weight <= nodes[inner].weight);
            let next = if takes_leaf { &mut leaf } else { &mut inner };
            let taken = *next;
            *next += 1;
            nodes[taken].parent = parent;
            nodes[taken].weight
        };
        let weight = lightest() + lightest();
        nodes.push(Node { weight, parent });
    }
    let mut depths = vec![0u8; nodes.len()];
    for node in (0..nodes.len().saturating_sub(1)).rev() {
        depths[node] = depths[nodes[node].parent].saturating_add(1);
    }
    let mut lengths = [0; N];
    for (symbol, depth) in leaves.iter().zip(&depths) {
        lengths[*symbol] = *depth;
    }
    lengths
}

/// RFC 1951, 3.2.2: codes of the same length are consecutive, in the order of the symbols.
fn canonical<const N: usize>(lengths: &[u8; N]) -> [u16; N] {
    let mut of_length = [0u16; LONGEST as usize + 1];
    for length in lengths.iter().filter(|length| **length > 0) {
        of_length[usize::from(*length)] += 1;
    }
    let mut next = [0u16; LONGEST as usize + 1];
    for length in 1..usize::from(LONGEST) {
        next[length + 1] = (next[length] + of_length[length]) << 1;
    }
    let mut bits = [0; N];
    for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
        let code = &mut next[usize::from(*length)];
        bits[symbol] = code.reverse_bits() >> (16 - length);
        *code += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The share of all codes that these take: one where every bit string begins with exactly one of them.
    fn kraft(lengths: &[u8]) -> u64 {
        lengths.iter().filter(|l| **l > 0).map(|l| 1u64 << (LONGEST - l)).sum()
    }

    #[test]
    fn what_comes_often_is_short() {
        let codes = Codes::of(&[45, 13, 12, 16, 9, 5], LONGEST);
        assert_eq!(codes.lengths, [1, 3, 3, 3, 4, 4]);
        assert_eq!(codes.bits, [0b0, 0b001, 0b101, 0b011, 0b0111, 0b1111]);
    }

    #[test]
    fn there_are_two_codes_at_least() {
        assert_eq!(Codes::of(&[0; 5], LONGEST).lengths, [1, 1, 0, 0, 0]);
        assert_eq!(Codes::of(&[0, 0, 7, 0, 0], LONGEST).lengths, [1, 0, 1, 0, 0]);
        assert_eq!(Codes::of(&[7, 0, 0, 0, 0], LONGEST).lengths, [1, 1, 0, 0, 0]);
    }

    #[test]
    fn no_code_is_longer_than_allowed() {
        let mut fibonacci = [1u32; 30];
        for n in 2..30 {
            fibonacci[n] = fibonacci[n - 1] + fibonacci[n - 2];
        }
        for longest in [7, LONGEST] {
            let lengths = Codes::of(&fibonacci, longest).lengths;
            assert!(lengths.iter().max() <= Some(&longest), "{lengths:?}");
            assert_eq!(kraft(&lengths), 1 << LONGEST);
        }
    }

    proptest! {
        #[test]
        fn codes_are_complete_and_no_dearer_than_equal_ones(counts in prop::array::uniform32(0u32..5_000)) {
            let codes = Codes::of(&counts, LONGEST);
            prop_assert_eq!(kraft(&codes.lengths), 1 << LONGEST);
            prop_assert!(codes.cost(&counts) <= 5 * counts.iter().map(|n| u64::from(*n)).sum::<u64>());
            for (symbol, count) in counts.iter().enumerate() {
                prop_assert!(*count == 0 || codes.lengths[symbol] > 0, "{symbol}");
            }
        }
    }
}
