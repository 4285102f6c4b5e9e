//! Values of samples as text: integers exact, seconds as plain decimal numbers; no exponent, no NaN, nothing below 0.

use std::io::Write as _;
use std::time::Duration;

use crate::model::Offset;

/// The value of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// An integer; beyond 64 bits for sums.
    Count(u128),
    /// Seconds, known to the millisecond.
    Millis(u64),
    /// Seconds, known to the microsecond.
    Micros(u64),
    /// A finite ratio from 0 up; made by [`Value::ratio`].
    Ratio(f64),
}

impl Value {
    /// Seconds as a float has them; `None` where they are no time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and a float beyond 64 bits saturates"
    )]
    pub(super) fn seconds(seconds: f32) -> Option<Self> {
        (seconds.is_finite() && seconds >= 0.0).then(|| Self::Millis((f64::from(seconds) * 1000.0).round() as u64))
    }

    /// `None` where the number is none that a ratio can be.
    pub(super) fn ratio(ratio: f64) -> Option<Self> {
        (ratio.is_finite() && ratio >= 0.0).then_some(Self::Ratio(ratio))
    }

    /// `None` for the negative number by which Kafka says "nobody".
    pub(super) fn id(id: i32) -> Option<Self> {
        u32::try_from(id).ok().map(Self::from)
    }

    /// Appends the value as the text format wants it.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Count(count) => match u64::try_from(count) {
                Ok(count) => integer(out, count),
                Err(_) => integer(out, count),
            },
            Self::Millis(millis) => decimal(out, millis, 1000),
            Self::Micros(micros) => decimal(out, micros, 1_000_000),
            // Without an exponent, whatever the size: what `Display` promises for floats.
            Self::Ratio(ratio) => write!(out, "{}", ratio.abs()).expect("a vector takes every write"),
        }
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count.into())
    }
}

impl From<Offset> for Value {
    fn from(offset: Offset) -> Self {
        Self::Count(offset.get().unsigned_abs().into())
    }
}

impl From<Duration> for Value {
    fn from(duration: Duration) -> Self {
        // Microseconds fill 64 bits after half a million years.
        Self::Micros(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }
}

fn integer(out: &mut Vec<u8>, integer: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
}

/// `parts` of which `unit` make up one; zeros at the end are left out.
fn decimal(out: &mut Vec<u8>, parts: u64, mut unit: u64) {
    integer(out, parts / unit);
    let mut rest = parts % unit;
    if rest > 0 {
        out.push(b'.');
    }
    while rest > 0 {
        unit /= 10;
        out.push(b"0123456789"[usize::try_from(rest / unit).expect("a digit")]);
        rest %= unit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Value) -> String {
        let mut out = Vec::new();
        value.write(&mut out);
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn integers_are_exact_beyond_64_bits() {
        assert_eq!(text(Value::Count(0)), "0");
        assert_eq!(text(Value::Count(9_007_199_254_740_993)), "9007199254740993");
        assert_eq!(text(Value::Count(u128::MAX)), "340282366920938463463374607431768211455");
    }

    #[test]
    fn seconds_are_plain_decimal_numbers() {
        for (value, shown) in [
            (Value::Millis(0), "0"),
            (Value::Millis(5), "0.005"),
            (Value::Millis(120), "0.12"),
            (Value::Millis(12_000), "12"),
            (Value::Millis(u64::MAX), "18446744073709551.615"),
            (Value::from(Duration::from_micros(1_000_001)), "1.000001"),
            (Value::from(Duration::from_nanos(1)), "0"),
            (Value::from(Duration::from_secs(604_800)), "604800"),
        ] {
            assert_eq!(text(value), shown);
        }
    }

    #[test]
    fn what_is_no_number_is_absent() {
        for no in [f32::NAN, f32::INFINITY, -1.0] {
            assert_eq!(Value::seconds(no), None);
            assert_eq!(Value::ratio(no.into()), None);
        }
        assert_eq!(Value::id(-1), None);
        assert_eq!(Value::seconds(1.5).map(text).as_deref(), Some("1.5"));
        assert_eq!(Value::ratio(-0.0).map(text).as_deref(), Some("0"));
        assert_eq!(Value::ratio(1e-9).map(text).as_deref(), Some("0.000000001"));
    }
}
