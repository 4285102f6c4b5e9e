//! What each key does.

use ratatui::crossterm::event::KeyCode;
use ratatui::crossterm::event::KeyEvent;
use ratatui::crossterm::event::KeyModifiers;

use super::super::cursor::Step;
use super::Effect;
use super::State;

impl State {
    pub(super) fn press(&mut self, key: KeyEvent) -> Effect {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            return Effect::Quit;
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Effect::None;
        }
        self.note = None;
        if let Some(step) = step(key.code, self.overview.typing) {
            self.step(step);
            return Effect::None;
        }
        if self.overview.typing {
            self.press_typing(key.code);
            return Effect::None;
        }
        match (key.code, self.open.is_some()) {
            (KeyCode::Char('q'), _) => Effect::Quit,
            (KeyCode::Char('y'), _) => self.copy(),
            (KeyCode::Esc | KeyCode::Backspace, true) => self.leave(),
            (KeyCode::Enter, false) => self.enter(),
            (code, _) => {
                self.press_list(code);
                Effect::None
            }
        }
    }

    fn step(&mut self, step: Step) {
        let page = self.page();
        match (&mut self.open, &self.picture) {
            (Some(open), _) => open.step(step, page),
            (None, Some(picture)) => self.overview.step(step, page, &picture.clusters),
            (None, None) => {}
        }
    }

    /// Keys that change what a list shows.
    fn press_list(&mut self, code: KeyCode) {
        match (code, &mut self.open) {
            (KeyCode::Char('s'), Some(open)) => open.sort(),
            (KeyCode::Char('s'), None) => self.overview.order = self.overview.order.next(),
            (KeyCode::Char('d'), None) => self.overview.turn_dormant(),
            (KeyCode::Char('/'), None) => self.overview.typing = true,
            (KeyCode::Esc, None) => self.overview.filter.clear(),
            _ => return,
        }
        self.arrange();
    }

    /// Keys while the filter is typed: letters are letters.
    fn press_typing(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(letter) => self.overview.type_letter(letter),
            KeyCode::Backspace => drop(self.overview.filter.pop()),
            KeyCode::Enter => self.overview.typing = false,
            KeyCode::Esc => {
                self.overview.filter.clear();
                self.overview.typing = false;
            }
            _ => return,
        }
        self.arrange();
    }
}

fn step(code: KeyCode, typing: bool) -> Option<Step> {
    Some(match code {
        KeyCode::Up => Step::Up,
        KeyCode::Down => Step::Down,
        KeyCode::PageUp => Step::PageUp,
        KeyCode::PageDown => Step::PageDown,
        KeyCode::Home => Step::First,
        KeyCode::End => Step::Last,
        _ if typing => return None,
        KeyCode::Char('k') => Step::Up,
        KeyCode::Char('j') => Step::Down,
        KeyCode::Char('g') => Step::First,
        KeyCode::Char('G') => Step::Last,
        _ => return None,
    })
}
