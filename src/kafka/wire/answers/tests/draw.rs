//! Values drawn from a string of bytes that proptest makes and shrinks; when the bytes are used up every value is the smallest.

use std::collections::BTreeMap;
use std::str::FromStr;

use bytes::Bytes;
use kafka_protocol::protocol::StrBytes;

use super::MARK;

pub(super) struct Draw<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Draw<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    /// 0 when there is nothing below the limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::from(u16::from_be_bytes([self.byte(), self.byte()])) % limit.max(1)
    }

    pub(super) fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    pub(super) fn int8(&mut self) -> i8 {
        self.byte().cast_signed()
    }

    /// No error half of the time, otherwise any code, known or not.
    pub(super) fn error(&mut self) -> i16 {
        match self.byte() {
            0..128 => 0,
            code @ 128..250 => i16::from(code - 127),
            _ => self.int16(),
        }
    }

    pub(super) fn int16(&mut self) -> i16 {
        i16::from_be_bytes([self.byte(), self.byte()])
    }

    pub(super) fn int32(&mut self) -> i32 {
        match self.byte() {
            0 => 0,
            1..30 => -1,
            30 => i32::MIN,
            31 => i32::MAX,
            small @ 32..200 => i32::from(small % 8),
            _ => i32::from_be_bytes([0; 4].map(|_: u8| self.byte())),
        }
    }

    pub(super) fn int64(&mut self) -> i64 {
        match self.byte() {
            0 => 0,
            1..30 => -1,
            30 => i64::MIN,
            31 => i64::MAX,
            32 => i64::MAX - 1,
            small @ 33..100 => i64::from(small),
            _ => i64::from_be_bytes([0; 8].map(|_: u8| self.byte())),
        }
    }

    /// The codec's type cannot be named here, but parsed.
    pub(super) fn uuid<U: FromStr>(&mut self) -> U {
        let id = match self.byte() {
            0..60 => [0; 16],
            byte => [byte; 16],
        };
        let text = format!("{:032x}", u128::from_be_bytes(id));
        text.parse().ok().expect("32 digits are an id")
    }

    pub(super) fn bytes(&mut self) -> Bytes {
        let length = match self.byte() {
            255 => 300,
            short => usize::from(short % 20),
        };
        (0..length).map(|_| self.byte()).collect()
    }

    /// Often one of a few, so that names meet; sometimes empty, foreign or long.
    pub(super) fn text(&mut self) -> StrBytes {
        const FEW: [&str; 8] = ["", "a", "b", "orders", " lead", "/x", "Grüße-消费", MARK];
        StrBytes::from_string(match self.byte() {
            few @ 0..160 => FEW[usize::from(few) % FEW.len()].to_owned(),
            255 => "long".repeat(2_000),
            254 => "x".repeat(127),
            253 => format!("{MARK}and{MARK}"),
            _ => (0..self.byte() % 12).map(|_| self.letter()).collect(),
        })
    }

    fn letter(&mut self) -> char {
        let code = u32::from_be_bytes([0, self.byte() % 17, self.byte(), self.byte()]);
        // The mark's own letters alone would be read as what they are; surrogates are no letters.
        char::from_u32(code).unwrap_or('s')
    }

    pub(super) fn one_of(&mut self, words: &[&'static str]) -> StrBytes {
        match self.byte() {
            200.. => self.text(),
            word => StrBytes::from_static_str(words[usize::from(word) % words.len()]),
        }
    }

    pub(super) fn option<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.byte() < 170).then(|| value(self))
    }

    /// Empty to three elements, rarely so many that their number takes two bytes.
    pub(super) fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = match self.byte() {
            255 => 130,
            few => usize::from(few % 4),
        };
        (0..count).map(|_| element(self)).collect()
    }

    /// Tagged fields that nobody knows, from `first` on.
    pub(super) fn tags_from(&mut self, first: i32) -> BTreeMap<i32, Bytes> {
        match self.byte() {
            0..160 => BTreeMap::new(),
            _ => self
                .list(|draw| (first + i32::from(draw.int16()).abs(), draw.bytes()))
                .into_iter()
                .collect(),
        }
    }

    pub(super) fn tags(&mut self) -> BTreeMap<i32, Bytes> {
        self.tags_from(0)
    }
}
