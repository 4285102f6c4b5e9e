//! Bits, the first one lowest, into bytes.

/// Bytes that grow bit by bit.
#[derive(Debug, Default)]
pub(super) struct Bits {
    pub(super) bytes: Vec<u8>,
    /// Bits that do not fill a byte yet, lowest first.
    pending: u64,
    /// How many those are: below 32 between two calls.
    count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits, 32 at most; the others must be 0.
    #[inline]
    pub(super) fn push(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..4]);
            self.pending >>= 32;
            self.count -= 32;
        }
    }

    /// Appends an empty stored block, which ends on a byte: whatever is appended then begins on one.
    pub(super) fn sync(&mut self) {
        // Not the last block, and stored.
        self.push(0, 3);
        self.flush();
        self.bytes.extend_from_slice(&[0, 0, 0xff, 0xff]);
    }

    /// Fills up the last byte with zeros.
    fn flush(&mut self) {
        let whole = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..whole]);
        (self.pending, self.count) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes_from_the_lowest_on() {
        let mut bits = Bits::default();
        bits.push(0b1, 1);
        bits.push(0b10, 2);
        bits.push(0xffff_ffff, 32);
        bits.push(0, 2);
        bits.flush();
        assert_eq!(bits.bytes, [0b1111_1101, 0xff, 0xff, 0xff, 0b0000_0111]);
    }

    #[test]
    fn a_sync_ends_on_a_byte() {
        let mut bits = Bits::default();
        bits.push(0b1, 1);
        bits.sync();
        assert_eq!(bits.bytes, [1, 0, 0, 0xff, 0xff]);
        bits.sync();
        assert_eq!(bits.bytes[5..], [0, 0, 0, 0xff, 0xff]);
    }
}
