//! State → frame: what is seen, at any size of the terminal.

mod foot;
mod group;
mod overview;
mod wrap;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint;
use ratatui::layout::Layout;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::style::Modifier;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::text::Span;

use super::cursor::seen;
use super::sheet::Sheet;
use super::sheet::Tone;
use super::state::State;

/// What stands above a list, and what is said below it.
#[derive(Debug, Default)]
struct Around {
    head: Vec<Line<'static>>,
    foot: Vec<Line<'static>>,
}

/// A list: how many rows there are, which is chosen, and the rows of a range of them.
struct List<'a> {
    len: usize,
    chosen: usize,
    sheet: Box<dyn Fn(std::ops::Range<usize>) -> Sheet + 'a>,
}

/// Before every row, so that the chosen one is marked without colour too.
const MARK: &str = "> ";
const NO_MARK: &str = "  ";

/// Draws the state.
pub(super) fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let (around, list) = match &state.open {
        Some(open) => group::look(state, open, area.width.into()),
        None => overview::look(state, area.width.into()),
    };
    let rows = |lines: &Vec<Line<'_>>| u16::try_from(lines.len()).unwrap_or(u16::MAX);
    // The list keeps some of the screen, and the last line, which says how to get away, all of its own.
    let head = rows(&around.head).min(area.height / 2);
    let said = rows(&around.foot).min(area.height.saturating_sub(1 + head) / 2);
    let [head, middle, said, keys] = Layout::vertical([
        Constraint::Length(head),
        Constraint::Min(0),
        Constraint::Length(said),
        Constraint::Length(1),
    ])
    .areas(area);
    write(frame.buffer_mut(), head, &around.head);
    write(frame.buffer_mut(), said, &around.foot);
    if let Some(list) = list {
        list.draw(frame.buffer_mut(), middle);
    }
    let (line, cursor) = foot::keys(state, area.width.into());
    write(frame.buffer_mut(), keys, &[line]);
    if let Some(column) = cursor {
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        frame.set_cursor_position((
            keys.x.saturating_add(column).min(keys.right().saturating_sub(1)),
            keys.y,
        ));
    }
}

fn write(buffer: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    for (row, line) in area.rows().zip(lines) {
        buffer.set_line(row.x, row.y, line, row.width);
    }
}

impl List<'_> {
    fn draw(&self, buffer: &mut Buffer, area: Rect) {
        let room = usize::from(area.width).saturating_sub(MARK.len());
        let range = seen(self.chosen, self.len, usize::from(area.height).saturating_sub(1));
        let first = range.start;
        let sheet = (self.sheet)(range);
        let fitted = sheet.fit(room);
        let titles = format!("{NO_MARK}{}", sheet.titles(&fitted));
        let mut lines = vec![Line::styled(titles, Modifier::BOLD)];
        lines.extend(sheet.rows.iter().enumerate().map(|(row, cells)| {
            let chosen = first + row == self.chosen;
            let mark = if chosen { MARK } else { NO_MARK };
            let pieces = sheet.pieces(cells, &fitted);
            let pieces = pieces.map(|(text, tone)| Span::styled(text, style(tone)));
            let line: Line<'_> = std::iter::once(Span::raw(mark)).chain(pieces).collect();
            if chosen { line.style(Modifier::REVERSED) } else { line }
        }));
        write(buffer, area, &lines);
    }
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Bad => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        Tone::Doubtful => Style::new().fg(Color::Yellow),
        Tone::Good => Style::new().fg(Color::Green),
        Tone::Quiet => Style::new().add_modifier(Modifier::DIM),
    }
}

/// Text in as many lines as it needs.
fn wrapped(text: &str, room: usize) -> Vec<Line<'static>> {
    wrap::wrap(text, room).into_iter().map(Line::raw).collect()
}

/// Lines of trouble; the word before each tells them from the rest without colour.
fn trouble(text: &str, room: usize) -> Vec<Line<'static>> {
    let wrapped = wrap::wrap(&format!("! {text}"), room);
    wrapped
        .into_iter()
        .map(|text| Line::styled(text, style(Tone::Bad)))
        .collect()
}

#[cfg(test)]
mod tests;
