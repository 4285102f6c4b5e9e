//! CPU time and memory, as the kernel counts them.

use std::fs;

/// Names of the threads that are librdkafka's begin like this.
const LIBRDKAFKA: &str = "rdk:";

/// Seconds of CPU of this process.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cpu {
    /// All threads, those that have ended included; counted in hundredths.
    pub(crate) all: f64,
    /// Threads that are not librdkafka's; none of them ends.
    pub(crate) own: f64,
}

impl Cpu {
    pub(crate) fn now() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
        let after_name = stat.rsplit_once(") ").expect("a name in brackets").1;
        let ticks = after_name.split(' ').skip(11).take(2);
        let all = ticks.map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0;
        let threads = fs::read_dir("/proc/self/task").expect("Linux").flatten();
        let own = threads.filter_map(|thread| {
            let read = |file| fs::read_to_string(thread.path().join(file)).ok();
            let is_own = !read("comm")?.starts_with(LIBRDKAFKA);
            is_own.then(|| seconds(&read("schedstat").unwrap_or_default()))
        });
        Self { all, own: own.sum() }
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            all: self.all - earlier.all,
            own: self.own - earlier.own,
        }
    }
}

/// Seconds of CPU of the thread that asks.
pub(crate) fn of_this_thread() -> f64 {
    seconds(&fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts what threads run"))
}

/// Nanoseconds on a processor come first.
fn seconds(schedstat: &str) -> f64 {
    let nanos = schedstat.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    nanos.unwrap_or(0.0) / 1e9
}

/// The most that was ever resident, in megabytes.
pub(crate) fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("told");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") * 1024.0 / 1e6
}

/// Processes that wanted to run, on average over the last minute.
pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}
