//! Reads the primitives of Kafka's protocol from the bytes of one answer. Every length is checked against the bytes that are really
//! there before anything is reserved or copied, so that no answer, however wrong, can panic or take memory out of proportion.

use crate::failure::Api;
use crate::failure::ErrorCode;

/// The lists of an answer may take this many times the bytes of the answer. The hungriest honest one (ListGroups v3, groups with ids of
/// four letters and nothing else) takes nearly as much; most take less than four times.
const GROWTH: usize = 16;

/// What they may take in any case: however short the names, nothing this small does harm.
const ALLOWANCE: usize = 1 << 20;

/// Why an answer could not be understood. Never quotes the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes end too early.
    #[error("the answer ends at byte {at}, within {what}")]
    Ends {
        /// What was being read.
        what: &'static str,
        /// Where it began.
        at: usize,
    },
    /// More elements or bytes are claimed than can follow.
    #[error("{what} at byte {at} claims a length of {claimed}, but only {left} bytes follow")]
    TooLong {
        /// What was being read.
        what: &'static str,
        /// Where its elements or bytes would begin.
        at: usize,
        /// Elements of an array, bytes of anything else.
        claimed: usize,
        /// Bytes that are there.
        left: usize,
    },
    /// As many elements as can really follow, but so small on the wire that in memory they would take too much.
    #[error(
        "the {claimed} elements of {what} at byte {at} would take more than {GROWTH} times the bytes of the answer"
    )]
    TooLarge {
        /// What was being read.
        what: &'static str,
        /// Where its elements would begin.
        at: usize,
        /// Elements of the array.
        claimed: usize,
    },
    /// A length below the -1 that means null.
    #[error("{what} at byte {at} claims a length of {claimed}")]
    Negative {
        /// What was being read.
        what: &'static str,
        /// Where it began.
        at: usize,
        /// The length.
        claimed: i32,
    },
    /// Null where there has to be a value.
    #[error("{what} at byte {at} is null")]
    Null {
        /// What was being read.
        what: &'static str,
        /// Where it began.
        at: usize,
    },
    /// A variable-length number of more than 32 bits.
    #[error("{what} at byte {at} is a number of more than 32 bits")]
    Varint {
        /// What was being read.
        what: &'static str,
        /// Where it began.
        at: usize,
    },
    /// A number that cannot be what it stands for.
    #[error("{what} at byte {at} is {value}")]
    OutOfRange {
        /// What was being read.
        what: &'static str,
        /// Where it ended.
        at: usize,
        /// The number.
        value: i64,
    },
    /// The answer was read to its end and there is more: something was misunderstood.
    #[error("{left} bytes are left over after byte {at}")]
    LeftOver {
        /// Where the answer should have ended.
        at: usize,
        /// What is left.
        left: usize,
    },
    /// A version nobody here can read; no such request is sent.
    #[error("{api} v{version} is not a version this reader knows")]
    Version {
        /// The call.
        api: Api,
        /// The version.
        version: i16,
    },
}

/// How lengths are written, and whether tagged fields follow each structure (KIP-482).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Fixed lengths: two bytes for strings, four for arrays and byte strings.
    Classic,
    /// Variable lengths, plus one; tagged fields.
    Flexible,
}

/// Walks once over the bytes of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    total: usize,
    encoding: Encoding,
    /// Bytes that lists may still reserve.
    budget: usize,
}

macro_rules! fixed {
    ($($(#[$doc:meta])* $name:ident: $number:ty,)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(&mut self, what: &'static str) -> Result<$number, ReadError> {
            self.array(what).map(<$number>::from_be_bytes)
        })*
    };
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], encoding: Encoding) -> Self {
        Self {
            rest: bytes,
            total: bytes.len(),
            encoding,
            budget: bytes.len().saturating_mul(GROWTH).saturating_add(ALLOWANCE),
        }
    }

    /// How many bytes have been read.
    pub(crate) fn at(&self) -> usize {
        self.total - self.rest.len()
    }

    /// From here on lengths are written the other way.
    pub(crate) fn switch(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// What has not been read.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), ReadError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(ReadError::LeftOver { at: self.at(), left }),
        }
    }

    fixed! {
        int8: i8,
        int16: i16,
        int32: i32,
        int64: i64,
    }

    pub(crate) fn boolean(&mut self, what: &'static str) -> Result<bool, ReadError> {
        Ok(self.int8(what)? != 0)
    }

    pub(crate) fn uuid(&mut self, what: &'static str) -> Result<[u8; 16], ReadError> {
        self.array(what)
    }

    /// `None` for 0, which is no error.
    pub(crate) fn error_code(&mut self) -> Result<Option<ErrorCode>, ReadError> {
        self.int16("error code").map(ErrorCode::new)
    }

    /// Null is an error.
    pub(crate) fn string(&mut self, what: &'static str) -> Result<&'a [u8], ReadError> {
        let at = self.at();
        self.nullable_string(what)?.ok_or(ReadError::Null { what, at })
    }

    /// Null is `None`.
    pub(crate) fn nullable_string(&mut self, what: &'static str) -> Result<Option<&'a [u8]>, ReadError> {
        let length = match self.encoding {
            Encoding::Classic => self.int16(what).map(i32::from).and_then(|raw| self.signed(what, raw))?,
            Encoding::Flexible => self.unsigned(what)?,
        };
        length.map(|length| self.take(what, length)).transpose()
    }

    /// A byte string; null is `None`.
    pub(crate) fn nullable_bytes(&mut self, what: &'static str) -> Result<Option<&'a [u8]>, ReadError> {
        let length = self.long_length(what)?;
        length.map(|length| self.take(what, length)).transpose()
    }

    /// An array whose elements take at least `MIN` bytes each on the wire. Null is an error.
    pub(crate) fn list<T, const MIN: usize>(
        &mut self,
        what: &'static str,
        mut element: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        self.sift::<T, MIN>(what, |reader| element(reader).map(Some))
    }

    /// The same, without the elements that are `None`.
    pub(crate) fn sift<T, const MIN: usize>(
        &mut self,
        what: &'static str,
        mut element: impl FnMut(&mut Self) -> Result<Option<T>, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let at = self.at();
        let count = self.count::<MIN>(what)?.ok_or(ReadError::Null { what, at })?;
        let mut elements = self.reserve(what, count)?;
        for _ in 0..count {
            elements.extend(element(self)?);
        }
        Ok(elements)
    }

    /// Reads over an array and says how many elements there were; null has none.
    pub(crate) fn pass<const MIN: usize>(
        &mut self,
        what: &'static str,
        element: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<usize, ReadError> {
        Ok(self.pass_nullable::<MIN>(what, element)?.unwrap_or(0))
    }

    /// Reads over an array and says how many elements there were; `None` for null.
    pub(crate) fn pass_nullable<const MIN: usize>(
        &mut self,
        what: &'static str,
        mut element: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<Option<usize>, ReadError> {
        let count = self.count::<MIN>(what)?;
        for _ in 0..count.unwrap_or(0) {
            element(self)?;
        }
        Ok(count)
    }

    /// Tagged fields: read over, whatever they are. Nothing in the classic encoding.
    pub(crate) fn tags(&mut self) -> Result<(), ReadError> {
        if self.encoding == Encoding::Classic {
            return Ok(());
        }
        for _ in 0..self.varint("number of tagged fields")? {
            self.varint("tag")?;
            let size = self.varint("size of a tagged field")?;
            self.take("tagged field", size as usize)?;
        }
        Ok(())
    }

    /// Room for a list, taken from what the lists of the answer may take together.
    fn reserve<T>(&mut self, what: &'static str, count: usize) -> Result<Vec<T>, ReadError> {
        self.budget = count
            .checked_mul(size_of::<T>())
            .and_then(|bytes| self.budget.checked_sub(bytes))
            .ok_or(ReadError::TooLarge {
                what,
                at: self.at(),
                claimed: count,
            })?;
        Ok(Vec::with_capacity(count))
    }

    /// The number of elements of an array, of which that many can really follow; `None` for null.
    fn count<const MIN: usize>(&mut self, what: &'static str) -> Result<Option<usize>, ReadError> {
        const { assert!(MIN > 0, "an element takes at least one byte") };
        let Some(claimed) = self.long_length(what)? else {
            return Ok(None);
        };
        let (at, left) = (self.at(), self.rest.len());
        if claimed > left / MIN {
            return Err(ReadError::TooLong {
                what,
                at,
                claimed,
                left,
            });
        }
        Ok(Some(claimed))
    }

    fn long_length(&mut self, what: &'static str) -> Result<Option<usize>, ReadError> {
        match self.encoding {
            Encoding::Classic => self.int32(what).and_then(|raw| self.signed(what, raw)),
            Encoding::Flexible => self.unsigned(what),
        }
    }

    /// A classic length, of which -1 means null.
    fn signed(&self, what: &'static str, claimed: i32) -> Result<Option<usize>, ReadError> {
        match usize::try_from(claimed) {
            Ok(length) => Ok(Some(length)),
            Err(_) if claimed == -1 => Ok(None),
            Err(_) => Err(ReadError::Negative {
                what,
                at: self.at(),
                claimed,
            }),
        }
    }

    /// A flexible length, of which 0 means null.
    fn unsigned(&mut self, what: &'static str) -> Result<Option<usize>, ReadError> {
        Ok((self.varint(what)? as usize).checked_sub(1))
    }

    fn varint(&mut self, what: &'static str) -> Result<u32, ReadError> {
        let at = self.at();
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array(what)?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ReadError::Varint { what, at })
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], ReadError> {
        let (first, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(ReadError::Ends { what, at: self.at() })?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, what: &'static str, length: usize) -> Result<&'a [u8], ReadError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ReadError::TooLong {
            what,
            at: self.at(),
            claimed: length,
            left: self.rest.len(),
        })?;
        self.rest = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests;
