//! Deflated pieces of text that can be joined: raw deflate, ended at a byte boundary by a sync flush, with checksum and length.

use bytes::Bytes;
use crc32fast::Hasher;
use flate2::Compress;
use flate2::Compression;
use flate2::FlushCompress;

use super::catalog::Family;
use super::number::Value;
use super::render::Labels;
use super::render::Sink;

/// How much text is gathered before it is deflated: enough to deflate well, little enough to stay in a core's cache.
const GATHERED: usize = 64 * 1024;
/// Size of a finished piece. Pieces are never copied to make a larger one.
const PIECE: usize = 64 * 1024;

/// A piece of text, deflated.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub(super) deflated: Vec<Bytes>,
    /// Of the text; knows its length too.
    pub(super) sum: Hasher,
}

/// Makes chunks one after the other. Holds the compressor's state of a few hundred kilobytes, so make one for many chunks.
pub(super) struct Deflater {
    compress: Compress,
    text: Vec<u8>,
    out: Vec<u8>,
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
            // Level 1: higher ones take several times as long for a tenth less.
            compress: Compress::new(Compression::fast(), false),
            text: Vec::with_capacity(GATHERED + 1024),
            out: Vec::new(),
            chunk: Chunk::default(),
        }
    }

    /// More text of the present chunk.
    pub(super) fn write(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.drain_full();
    }

    /// Ends the present chunk and begins another.
    pub(super) fn finish(&mut self) -> Chunk {
        self.drain(FlushCompress::Sync);
        self.compress.reset();
        if !self.out.is_empty() {
            let last = Bytes::copy_from_slice(&self.out);
            self.out.clear();
            self.chunk.deflated.push(last);
        }
        std::mem::take(&mut self.chunk)
    }

    fn drain_full(&mut self) {
        if self.text.len() >= GATHERED {
            self.drain(FlushCompress::None);
        }
    }

    fn drain(&mut self, flush: FlushCompress) {
        if self.text.is_empty() && self.chunk.sum.total_len() == 0 {
            return;
        }
        self.chunk.sum.update(&self.text);
        let mut taken = 0;
        loop {
            self.make_room();
            let before = self.compress.total_in();
            self.compress
                .compress_vec(&self.text[taken..], &mut self.out, flush)
                .expect("a raw deflate stream that was not finished takes more");
            taken += usize::try_from(self.compress.total_in() - before).expect("no more than was given");
            // Space left over means that nothing is held back, as far as this flush goes.
            if taken == self.text.len() && self.out.len() < self.out.capacity() {
                break;
            }
        }
        self.text.clear();
    }

    fn make_room(&mut self) {
        if self.out.len() == self.out.capacity() {
            let full = std::mem::replace(&mut self.out, Vec::with_capacity(PIECE));
            if !full.is_empty() {
                self.chunk.deflated.push(full.into());
            }
        }
    }
}

impl Sink for Deflater {
    fn sample(&mut self, family: &Family, labels: Labels<'_>, value: Value) {
        self.text.extend_from_slice(family.name.as_bytes());
        labels.write(&mut self.text);
        self.text.push(b' ');
        value.write(&mut self.text);
        self.text.push(b'\n');
        self.drain_full();
    }
}
