//! What the system says of a process and of itself.

use std::fs;

/// Clock ticks a second, the same on every Linux that runs today.
const TICKS: f64 = 100.0;

/// Seconds of CPU, own and the kernel's for it, that a process has used.
pub(crate) fn cpu_seconds(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    // After the name, which may contain anything, the fields count from 3: utime is 14, stime 15.
    let (_, fields) = stat.rsplit_once(')').expect("a name in brackets");
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / TICKS
}

/// The most memory that was resident at a time.
pub(crate) fn peak_megabytes(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a line");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1024.0 / 1e6
}

/// Processor, cores, memory and kernel.
pub(crate) fn machine() -> String {
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let models: Vec<&str> = cpus
        .lines()
        .filter_map(|line| line.strip_prefix("model name"))
        .collect();
    let model = models
        .first()
        .map_or("a processor", |model| model.trim_start_matches(['\t', ' ', ':']));
    let memory = read("/proc/meminfo");
    let memory = memory
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("MemTotal:")
        .trim()
        .to_owned();
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{} × {model}, {memory}, Linux {}", models.len(), kernel.trim())
}
