//! Single cells: widths as a terminal counts them, numbers in groups of three, durations in words.

use unicode_width::UnicodeWidthChar;
use unicode_width::UnicodeWidthStr;

/// Which side a cell keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As words do.
    Left,
    /// As numbers do.
    Right,
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Whatever a name holds, it cannot steer a terminal nor a page: control characters, and those that turn the direction of writing, are
/// spelt out.
pub fn printable(name: &str) -> String {
    let steers = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if steers(letter) {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    out
}

/// The text in at most that many columns; what is cut out of its middle is shown by an ellipsis.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut head = take(text.chars(), room - room / 2);
    let tail = take(text.chars().rev(), room / 2);
    head.push('…');
    head.extend(tail.chars().rev());
    head
}

fn take(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut left = columns;
    let fits = letters.take_while(|letter| {
        let taken = letter.width().unwrap_or(0);
        let fits = taken <= left;
        left = left.saturating_sub(taken);
        fits
    });
    fits.collect()
}

/// Appends the cell, filled up to its column's width.
pub fn pad(out: &mut String, text: &str, columns: usize, side: Side) {
    let blanks = " ".repeat(columns.saturating_sub(text.width()));
    match side {
        Side::Left => out.extend([text, &blanks]),
        Side::Right => out.extend([&blanks, text]),
    }
}

/// `1234567` → `1,234,567`.
pub fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A duration in its two largest units.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "durations are not negative, and one beyond 64 bits saturates"
)]
pub fn elapsed(seconds: f64) -> String {
    if seconds == 0.0 {
        return "0s".into();
    }
    if seconds < 10.0 {
        return format!("{seconds:.1}s");
    }
    let seconds = seconds.round() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m {}s", seconds % 60),
        3600..86_400 => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_groups_of_three() {
        for (digits, shown) in [("0", "0"), ("999", "999"), ("1000", "1,000"), ("1234567", "1,234,567")] {
            assert_eq!(grouped(digits), shown);
        }
    }

    #[test]
    fn durations_are_in_two_units() {
        for (seconds, shown) in [
            (0.0, "0s"),
            (0.04, "0.0s"),
            (1.26, "1.3s"),
            (59.4, "59s"),
            (59.6, "1m 0s"),
            (840.25, "14m 0s"),
            (7384.0, "2h 3m"),
            (90_000.0, "1d 1h"),
        ] {
            assert_eq!(elapsed(seconds), shown);
        }
    }

    #[test]
    fn a_name_is_cut_in_its_middle_by_columns_not_letters() {
        assert_eq!(cut("orders-in", 9), "orders-in");
        assert_eq!(cut("orders-incoming", 9), "orde…ming");
        assert_eq!(cut("消费消费消费", 7), "消…费");
        assert_eq!(width(&cut("消费消费消费", 7)), 5);
        assert_eq!(cut("abc", 1), "…");
    }

    #[test]
    fn no_name_steers_the_terminal() {
        assert_eq!(printable("a\x1b[31m\nb\u{202e}c"), "a\\u{1b}[31m\\nb\\u{202e}c");
        assert_eq!(printable("Grüße-消费"), "Grüße-消费");
    }
}
