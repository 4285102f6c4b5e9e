//! Several ways to the same end: the next one is tried when the last one failed, or beside it when it keeps silent.

use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

/// The first success; or every failure, in the order in which they came. What is still under way when this returns, or is dropped, is
/// given up.
pub(super) async fn race<T, E, F>(patience: Duration, attempts: impl IntoIterator<Item = F>) -> Result<T, Vec<E>>
where
    T: Send + 'static,
    E: Send + 'static,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let mut left = attempts.into_iter().fuse();
    let mut running = JoinSet::new();
    let mut failures = Vec::new();
    loop {
        let last = match left.next() {
            Some(attempt) => {
                running.spawn(attempt);
                false
            }
            None if running.is_empty() => return Err(failures),
            None => true,
        };
        let result = if last {
            running.join_next().await
        } else {
            // Silence is no answer: go on to the next attempt.
            timeout(patience, running.join_next()).await.ok().flatten()
        };
        match result {
            Some(Ok(Ok(found))) => return Ok(found),
            Some(Ok(Err(failure))) => failures.push(failure),
            // An attempt that panicked has failed without a word.
            Some(Err(_)) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(10);

    async fn attempt(result: Result<u8, u8>) -> Result<u8, u8> {
        match result {
            // Stands for whoever never answers.
            Ok(0) => pending().await,
            other => other,
        }
    }

    #[tokio::test]
    async fn the_first_success_wins_over_failures_and_silence() {
        let found = race(PATIENCE, [Err(1), Ok(0), Ok(7)].map(attempt)).await;
        assert_eq!(found, Ok(7));
    }

    #[tokio::test]
    async fn when_all_fail_every_failure_is_told() {
        assert_eq!(race(PATIENCE, [Err(1), Err(2)].map(attempt)).await, Err(vec![1, 2]));
        assert_eq!(race(PATIENCE, [(); 0].map(|()| attempt(Ok(1)))).await, Err(vec![]));
    }

    #[tokio::test]
    async fn who_fails_late_is_waited_for_when_nobody_else_is_left() {
        let slow = |result| async move {
            tokio::time::sleep(PATIENCE * 3).await;
            result
        };
        assert_eq!(race::<u8, u8, _>(PATIENCE, [Err(1), Ok(2)].map(slow)).await, Ok(2));
    }
}
