//! Text in lines: broken at blanks where there are any, within a word where there are none.

use unicode_width::UnicodeWidthChar as _;

use crate::report::width;

/// The text in lines of at most that many columns.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(' ') {
        if !line.is_empty() && width(&line) + width(word.trim_end()) > room {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            let fits = width(&line) + letter.width().unwrap_or(0) <= room;
            if !fits && letter != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            if fits || letter != ' ' {
                line.push(letter);
            }
        }
    }
    lines.push(line);
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_else_anywhere() {
        for (text, room, lines) in [
            ("", 5, &[""][..]),
            ("ab cd ef", 5, &["ab cd", "ef"]),
            ("abcdefg hi", 4, &["abcd", "efg", "hi"]),
            ("a bcdefgh", 4, &["a", "bcde", "fgh"]),
            ("消费消费", 5, &["消费", "消费"]),
        ] {
            assert_eq!(wrap(text, room), lines, "{text:?}");
        }
    }

    #[test]
    fn no_line_is_wider_than_its_room() {
        for room in 2..20 {
            for line in wrap(
                "tidemark reset plan --group a-very-long-name-消费消费消费 --committed",
                room,
            ) {
                assert!(width(&line) <= room, "{room}: {line:?}");
            }
        }
    }
}
