//! Deflated pieces of text that can be joined: raw deflate, ended at a byte boundary by a sync flush, with checksum and length.
//!
//! Samples come line after line, each nearly the one before. Where a line repeats the last one is seen by laying the two side by side,
//! without the search that a compressor for any text makes for every byte; codes are made for each block as any compressor does.

mod bits;
mod block;
mod huffman;

use bytes::Bytes;
use crc32fast::Hasher;

use super::catalog::Family;
use super::number::Value;
use super::render::Labels;
use super::render::Sink;

use bits::Bits;
use block::Block;
use block::FARTHEST;
use block::LONGEST_MATCH;
use block::SHORTEST;

/// How much text is gathered before it is deflated: enough to deflate well, little enough to stay in a core's cache.
const GATHERED: usize = 64 * 1024;
/// Size of a finished piece, at least. Pieces are never copied to make a larger one.
const PIECE: usize = 60 * 1024;

/// A piece of text, deflated.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub(super) deflated: Vec<Bytes>,
    /// Of the text; knows its length too.
    pub(super) sum: Hasher,
}

/// Makes chunks one after the other. Holds the text and the symbols of a block of a few hundred kilobytes, so make one for many chunks.
pub(super) struct Deflater {
    /// The last line that is in the block, or was in the one before, then what has come since.
    text: Vec<u8>,
    /// How much of the text is in the block. The line feed after a line goes with the next line.
    done: usize,
    /// How much of the text is in the sum.
    summed: usize,
    /// Where the last line begins, with the line feed before it.
    last: usize,
    block: Block,
    out: Bits,
    chunk: Chunk,
}

impl Chunk {
    /// True for a piece of no text.
    pub(super) fn is_empty(&self) -> bool {
        self.deflated.is_empty()
    }
}

impl Deflater {
    pub(super) fn new() -> Self {
        Self {
            text: Vec::with_capacity(GATHERED + 1024),
            done: 0,
            summed: 0,
            last: 0,
            block: Block::default(),
            out: Bits::default(),
            chunk: Chunk::default(),
        }
    }

    /// More text of the present chunk: whole lines.
    pub(super) fn write(&mut self, text: &[u8]) {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            self.text.extend_from_slice(line);
            self.end_line();
        }
    }

    /// Ends the present chunk and begins another.
    pub(super) fn finish(&mut self) -> Chunk {
        for at in self.done..self.text.len() {
            self.block.literal(self.text[at]);
        }
        self.done = self.text.len();
        self.end_block();
        if self.chunk.sum.total_len() > 0 {
            self.out.sync();
            self.end_piece();
        }
        self.text.clear();
        (self.done, self.summed, self.last) = (0, 0, 0);
        std::mem::take(&mut self.chunk)
    }

    /// A line is whole.
    fn end_line(&mut self) {
        let end = self.text.len().saturating_sub(1).max(self.done);
        let line = self.done;
        self.compare(end);
        (self.last, self.done) = (line, end);
        if self.text.len() >= GATHERED {
            self.end_block();
            self.forget();
            if self.out.bytes.len() >= PIECE {
                self.end_piece();
            }
        }
    }

    /// Lays the text from `done` to `end` beside the last line. Where they part, they meet again at the next quote, if anywhere.
    fn compare(&mut self, end: usize) {
        let (mut at, mut beside, stop) = (self.done, self.last, self.done);
        loop {
            let same = common(&self.text[beside..stop], &self.text[at..end]);
            if same >= SHORTEST && at - beside <= FARTHEST {
                self.repeat(same, at - beside);
                at += same;
            } else {
                at = self.literals(at, at + same);
            }
            let until = quote(&self.text[at..end]).map(|quote| at + quote);
            at = self.literals(at, until.unwrap_or(end));
            match quote(&self.text[beside + same..stop]) {
                Some(quote) if at < end => beside += same + quote,
                _ => break,
            }
        }
        self.literals(at, end);
    }

    fn repeat(&mut self, length: usize, distance: usize) {
        let mut left = length;
        while left > 0 {
            // What is left over must not be too short to be said.
            let now = match left {
                ..=LONGEST_MATCH => left,
                _ => LONGEST_MATCH.min(left - SHORTEST),
            };
            self.block.repeat(now, distance);
            left -= now;
        }
    }

    fn literals(&mut self, from: usize, to: usize) -> usize {
        for byte in &self.text[from..to] {
            self.block.literal(*byte);
        }
        to
    }

    fn end_block(&mut self) {
        self.chunk.sum.update(&self.text[self.summed..self.done]);
        self.summed = self.done;
        if !self.block.is_empty() {
            self.block.write(&mut self.out);
        }
    }

    /// Drops the text before the last line.
    fn forget(&mut self) {
        self.text.drain(..self.last);
        self.done -= self.last;
        self.summed -= self.last;
        self.last = 0;
    }

    fn end_piece(&mut self) {
        let mut piece = std::mem::take(&mut self.out.bytes);
        piece.shrink_to_fit();
        self.chunk.deflated.push(piece.into());
    }
}

impl Sink for Deflater {
    fn sample(&mut self, family: &Family, labels: Labels<'_>, value: Value) {
        self.text.extend_from_slice(family.name.as_bytes());
        labels.write(&mut self.text);
        self.text.push(b' ');
        value.write(&mut self.text);
        self.text.push(b'\n');
        self.end_line();
    }
}

/// How many bytes both begin with.
fn common(a: &[u8], b: &[u8]) -> usize {
    const WORD: usize = size_of::<u64>();
    let mut same = 0;
    for (a, b) in a.as_chunks::<WORD>().0.iter().zip(b.as_chunks::<WORD>().0) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return same + (differing.trailing_zeros() / 8) as usize;
        }
        same += WORD;
    }
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

fn quote(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| *byte == b'"')
}

#[cfg(test)]
mod tests;
