//! One answer to a scrape, joined from what is ready: each family in one piece, whatever the number of clusters.

use std::sync::Arc;

use bytes::Bytes;
use crc32fast::Hasher;
use flate2::Decompress;
use flate2::FlushDecompress;

use super::catalog::Family;
use super::catalog::cluster::RESETS;
use super::catalog::cluster::SNAPSHOT_AGE;
use super::catalog::families;
use super::deflate::Chunk;
use super::deflate::Deflater;
use super::label;
use super::number::Value;
use super::own::Own;
use super::pack::Packed;
use super::reloads::Reloads;
use super::resets::ResetCounters;
use crate::model::Moment;

/// Text is handed on in pieces of this size.
const PIECE: usize = 64 * 1024;
/// RFC 1952: deflate, no flags, no time, fastest compression, no file system.
const GZIP_HEAD: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// RFC 1951: the last block, with fixed codes and nothing in it.
const LAST_BLOCK: &[u8] = &[3, 0];

/// Joins the clusters' chunks and what is told of the scrape's own moment.
#[derive(Debug)]
pub struct Exposition {
    label: Arc<str>,
    /// The two lines before each family.
    headers: Vec<Chunk>,
    resets: Option<ResetCounters>,
    own: Own,
}

/// One answer, deflated.
#[derive(Debug)]
pub struct Text {
    deflated: Vec<Bytes>,
    sum: Hasher,
}

/// One answer as plain text, inflated piece by piece while it is read: never a whole copy.
#[derive(Debug)]
pub struct PlainText {
    deflated: std::vec::IntoIter<Bytes>,
    piece: Bytes,
    inflate: Decompress,
    left: u64,
}

impl Exposition {
    /// `label` is the configuration's `cluster_label`; `resets` are there when there is an admin listener.
    pub fn new(label: Arc<str>, resets: Option<ResetCounters>) -> Self {
        let mut deflater = Deflater::new();
        let headers = families().map(|family| {
            deflater.write(family.header().as_bytes());
            deflater.finish()
        });
        Self {
            label,
            headers: headers.collect(),
            resets,
            own: Own::new(),
        }
    }

    /// The same, which tells of the configuration too.
    #[must_use]
    pub fn with_reloads(self, reloads: &Reloads) -> Self {
        self.own.add(reloads);
        self
    }

    /// The answer at `now`.
    pub fn text(&self, clusters: &[Arc<Packed>], now: Moment) -> Text {
        let mut text = Text {
            deflated: vec![Bytes::from_static(GZIP_HEAD)],
            sum: Hasher::new(),
        };
        for (index, header) in self.headers.iter().enumerate() {
            let chunks = clusters.iter().filter_map(|packed| packed.chunks.get(index));
            let mut chunks = chunks.filter(|chunk| !chunk.is_empty()).peekable();
            if chunks.peek().is_some() {
                text.push(header);
                chunks.for_each(|chunk| text.push(chunk));
            }
        }
        text.push(&self.at_the_scrape(clusters, now));
        text
    }

    fn at_the_scrape(&self, clusters: &[Arc<Packed>], now: Moment) -> Chunk {
        let mut out = Vec::new();
        let ages = clusters.iter().filter_map(|packed| {
            let age = now.mono.saturating_sub(packed.read_at?.mono);
            Some((&*packed.cluster, None, Value::from(age)))
        });
        self.family(SNAPSHOT_AGE, ages, &mut out);
        if let Some(resets) = &self.resets {
            let counts = clusters.iter().flat_map(|packed| {
                let counts = resets.of(&packed.cluster);
                counts.map(|(result, count)| (&*packed.cluster, Some(result.as_str()), Value::from(count)))
            });
            self.family(RESETS, counts, &mut out);
        }
        out.extend_from_slice(self.own.text().as_bytes());
        let mut deflater = Deflater::new();
        deflater.write(&out);
        deflater.finish()
    }

    fn family<'a>(
        &self,
        name: &str,
        samples: impl Iterator<Item = (&'a str, Option<&'a str>, Value)>,
        out: &mut Vec<u8>,
    ) {
        let mut header = families().find(|family| family.name == name).map(Family::header);
        for (cluster, result, value) in samples {
            out.extend_from_slice(header.take().unwrap_or_default().as_bytes());
            out.extend_from_slice(name.as_bytes());
            out.push(b'{');
            label::push(out, &self.label, cluster);
            if let Some(result) = result {
                label::push(out, "result", result);
            }
            out.extend_from_slice(b"} ");
            value.write(out);
            out.push(b'\n');
        }
    }
}

impl Text {
    fn push(&mut self, chunk: &Chunk) {
        self.deflated.extend(chunk.deflated.iter().cloned());
        self.sum.combine(&chunk.sum);
    }

    /// The answer as one gzip member, in pieces that are shared with other answers.
    pub fn gzip(self) -> Vec<Bytes> {
        let Self { mut deflated, sum } = self;
        // The format counts the length modulo 2^32.
        let length = (sum.total_len() & u64::from(u32::MAX)).to_le_bytes();
        let mut tail = LAST_BLOCK.to_vec();
        tail.extend_from_slice(&sum.finalize().to_le_bytes());
        tail.extend_from_slice(&length[..4]);
        deflated.push(tail.into());
        deflated
    }

    /// The answer as it is.
    pub fn plain(self) -> PlainText {
        let left = self.sum.total_len();
        let mut deflated = self.deflated.into_iter();
        // What is inflated here begins after the head of the gzip form.
        deflated.next();
        PlainText {
            deflated,
            piece: Bytes::new(),
            inflate: Decompress::new(false),
            left,
        }
    }
}

impl PlainText {
    /// Bytes that are still to come.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Iterator for PlainText {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let room = usize::try_from(self.left).map_or(PIECE, |left| left.min(PIECE));
        let mut out = Vec::with_capacity(room);
        while out.len() < room {
            if self.piece.is_empty() {
                self.piece = self.deflated.next()?;
            }
            let before = self.inflate.total_in();
            self.inflate
                .decompress_vec(&self.piece, &mut out, FlushDecompress::None)
                .expect("own chunks inflate");
            let taken = usize::try_from(self.inflate.total_in() - before).expect("no more than was given");
            self.piece = self.piece.slice(taken..);
        }
        self.left -= u64::try_from(room).expect("a small number");
        (room > 0).then(|| out.into())
    }
}
