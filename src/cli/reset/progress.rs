//! What a reset is doing, while it does it: one line on a terminal that is written over, plain lines where more is to be told.

use std::time::Duration;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::console::Console;
use super::show::grouped;
use crate::reset::stages::Stage;

/// What is done sooner than this needs no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line on a terminal is drawn anew, as long as nothing else happens.
const EVERY: Duration = Duration::from_secs(1);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Shown {
    /// Not at all: nobody reads it.
    Nothing,
    /// As one line of a terminal.
    Line,
    /// As a line for every stage.
    Lines,
}

/// The progress of one piece of work.
pub(super) struct Progress {
    shown: Shown,
    began: Instant,
    next: Instant,
    /// `None` through an endpoint, which tells nothing before its answer.
    stages: Option<broadcast::Receiver<Stage>>,
    doing: String,
    /// Whether something has been written: what is read then is what came of it.
    wrote: bool,
    drawn: bool,
}

impl Progress {
    /// Of work that begins now; `doing` until a stage is told.
    pub(super) fn new(shown: Shown, stages: Option<broadcast::Receiver<Stage>>, doing: &str) -> Self {
        let began = Instant::now();
        Self {
            shown,
            began,
            next: began + PATIENCE,
            stages,
            doing: doing.to_owned(),
            wrote: false,
            drawn: false,
        }
    }

    /// Returns when there is something to be [drawn](Self::draw).
    pub(super) async fn changed(&mut self) {
        match self.shown {
            Shown::Nothing => std::future::pending().await,
            Shown::Lines => self.stage().await,
            Shown::Line => {
                let next = self.next;
                tokio::select! {
                    () = self.stage(), if self.drawn => {}
                    () = tokio::time::sleep_until(next) => self.catch_up(),
                }
                self.next = Instant::now() + EVERY;
            }
        }
    }

    /// Returns when the next stage has begun.
    async fn stage(&mut self) {
        let Some(stages) = &mut self.stages else {
            return std::future::pending().await;
        };
        loop {
            match stages.recv().await {
                Ok(stage) => return self.begun(stage),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }

    /// Takes in all that has been told.
    fn catch_up(&mut self) {
        while let Some(Ok(stage)) = self.stages.as_mut().map(broadcast::Receiver::try_recv) {
            self.begun(stage);
        }
    }

    fn begun(&mut self, stage: Stage) {
        self.wrote |= matches!(stage, Stage::Write(_));
        self.doing = words(stage, self.wrote);
    }

    /// Shows what is being done.
    pub(super) fn draw(&mut self, console: &mut Console<'_>) {
        match self.shown {
            Shown::Nothing => {}
            Shown::Lines => drop(console.say(&self.doing)),
            Shown::Line => {
                console.draw(&format!(
                    "tidemark: {} … {} s",
                    self.doing,
                    self.began.elapsed().as_secs()
                ));
                self.drawn = true;
            }
        }
    }

    /// Makes room for other words.
    pub(super) fn clear(&mut self, console: &mut Console<'_>) {
        if std::mem::take(&mut self.drawn) {
            console.draw("");
        }
    }
}

fn words(stage: Stage, wrote: bool) -> String {
    let counted = |count: usize, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{} {more}", grouped(count as u128)),
    };
    let partitions = |count| counted(count, "partition", "partitions");
    match stage {
        Stage::Group => "asking who is in the group".to_owned(),
        Stage::Commits if wrote => "reading the commits back".to_owned(),
        Stage::Commits => "reading the commits".to_owned(),
        Stage::Topics(count) => format!("reading about {}", counted(count, "topic", "topics")),
        Stage::Logs(count) => format!("reading where the logs of {} begin and end", partitions(count)),
        Stage::Times(count) => format!("looking for a time in {}", partitions(count)),
        Stage::Write(count) => format!("writing to {}", partitions(count)),
    }
}
