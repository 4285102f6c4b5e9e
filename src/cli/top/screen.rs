//! The terminal: given up to the screen while somebody looks, and given back as it was, however that ends.

use std::io;
use std::io::Write as _;
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event;
use ratatui::crossterm::event::Event;
use ratatui::crossterm::event::KeyEventKind;
use tokio::runtime::Runtime;
use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;
use tokio::sync::mpsc;
use tokio::sync::watch;

use super::picture::Key;
use super::source::Source;
use super::state::Effect;
use super::state::Input;
use super::state::State;
use super::view;
use crate::app;
use crate::cli::CliError;
use crate::cli::ExitStatus;

/// Inputs that may wait while a frame is drawn.
const INPUTS: usize = 64;
/// How soon the reader of keys sees that nobody wants them any more.
const KEYS_TICK: Duration = Duration::from_millis(200);

/// The terminal while it is ours. A panic gives it back too, before its message is printed: ratatui's own hook sees to that.
struct Screen(DefaultTerminal);

impl Screen {
    fn open() -> Result<Self, CliError> {
        ratatui::try_init().map(Self).map_err(|error| {
            // Half of it may have been done.
            let _ = ratatui::try_restore();
            CliError::Terminal(error)
        })
    }

    fn draw(&mut self, state: &State) -> Result<(), CliError> {
        let drawn = self.0.draw(|frame| view::draw(state, frame));
        drawn.map(drop).map_err(CliError::Terminal)
    }

    /// Gives text to the clipboard by the sequence that terminals know for it (OSC 52), as far as they let it.
    fn copy(&mut self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout();
        let sequence = format!("\x1b]52;c;{}\x07", openssl::base64::encode_block(text.as_bytes()));
        let written = out.write_all(sequence.as_bytes()).and_then(|()| out.flush());
        written.map_err(CliError::Terminal)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = ratatui::try_restore();
        let _ = self.0.show_cursor();
    }
}

/// Shows the state until somebody quits.
pub(super) fn run(runtime: &Runtime, source: Source, state: State, every: Duration) -> Result<ExitStatus, CliError> {
    // The tasks and the thread below send; this thread is the only receiver.
    let (sender, inputs) = mpsc::channel(INPUTS);
    // This thread says which group is looked at; the task that reads the source listens.
    let (opener, opened) = watch::channel(None);
    {
        let _inside = runtime.enter();
        runtime.spawn(stop(signals()?, sender.clone()));
    }
    let mut screen = Screen::open()?;
    runtime.spawn(watched(feed((source, every), opened, sender.clone()), sender.clone()));
    std::thread::spawn(move || keys(&sender));
    let ended = look(&mut screen, state, inputs, &opener);
    drop(screen);
    match ended? {
        None => Ok(ExitStatus::Done),
        Some(problem) => {
            eprintln!("tidemark: {problem}");
            Ok(ExitStatus::Failed)
        }
    }
}

/// Draws and takes what comes in until the end; what went wrong, if it was that.
fn look(
    screen: &mut Screen,
    mut state: State,
    mut inputs: mpsc::Receiver<Input>,
    opener: &watch::Sender<Option<Key>>,
) -> Result<Option<String>, CliError> {
    let size = screen.0.size().map_err(CliError::Terminal)?;
    state.take(Input::Rows(size.height));
    loop {
        screen.draw(&state)?;
        let mut next = inputs.blocking_recv();
        // Whatever else has come in meanwhile needs no frame of its own.
        while let Some(input) = next {
            match state.take(input) {
                Effect::None => {}
                Effect::Quit => return Ok(None),
                Effect::Fail(problem) => return Ok(Some(problem)),
                Effect::Copy(text) => screen.copy(&text)?,
                Effect::Open(key) => drop(opener.send_replace(key)),
            }
            next = inputs.try_recv().ok();
        }
    }
}

/// Reads the keys until nobody wants them any more.
fn keys(sender: &mpsc::Sender<Input>) {
    while !sender.is_closed() {
        let input = match event::poll(KEYS_TICK) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let input = match input {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Key(key),
            Ok(Event::Resize(_, rows)) => Input::Rows(rows),
            Ok(_) => continue,
            Err(error) => Input::Broken(format!("the terminal cannot be read: {error}")),
        };
        let broken = matches!(input, Input::Broken(_));
        if sender.blocking_send(input).is_err() || broken {
            return;
        }
    }
}

/// Reads the source whenever it is due, and at once when another group is looked at.
async fn feed(
    (mut source, every): (Source, Duration),
    mut opened: watch::Receiver<Option<Key>>,
    sender: mpsc::Sender<Input>,
) {
    loop {
        let open = opened.borrow_and_update().clone();
        let heard = tokio::select! {
            heard = source.read(open.as_ref()) => heard,
            Ok(()) = opened.changed() => continue,
        };
        if sender.send(Input::Heard(heard)).await.is_err() {
            return;
        }
        let due = tokio::select! {
            due = source.due(every) => due,
            changed = opened.changed() => match changed {
                Ok(()) => Ok(()),
                Err(_) => return,
            },
        };
        if let Err(error) = due {
            // Whoever has gone needs no word of it.
            let _ = sender.send(Input::Broken(error.to_string())).await;
            return;
        }
    }
}

/// A task that dies takes the screen with it: nobody must look at figures that will never change again.
async fn watched(feed: impl Future<Output = ()> + Send + 'static, sender: mpsc::Sender<Input>) {
    if tokio::spawn(feed).await.is_err() {
        let problem = app::AppError::TaskEnded.to_string();
        // Whoever has gone needs no word of it.
        let _ = sender.send(Input::Broken(problem)).await;
    }
}

/// Returns with SIGTERM, SIGINT or SIGHUP; they are caught from the call on.
fn signals() -> Result<impl Future<Output = ()>, CliError> {
    let terminated = app::terminated()?;
    let mut hangup = signal(SignalKind::hangup()).map_err(app::AppError::Signals)?;
    Ok(async move {
        tokio::select! {
            () = terminated => {}
            _ = hangup.recv() => {}
        }
    })
}

async fn stop(signals: impl Future<Output = ()>, sender: mpsc::Sender<Input>) {
    signals.await;
    // Whoever has gone needs no word of it.
    let _ = sender.send(Input::Stop).await;
}
