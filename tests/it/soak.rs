//! Weeks without care: topics, groups, members and brokers come and go on the simulated cluster while the clock is stepped, and the exporter's
//! memory, file descriptors, threads and series stay as they are. It runs in a process of its own, so that its figures are its own.

mod exporter;
mod handles;
mod world;

use std::collections::BTreeSet;
use std::env;

use exporter::Figures;
use exporter::Soaked;
use world::World;

/// How long the long run is; a week without it.
const MINUTES: &str = "TIDEMARK_SOAK_MINUTES";
const A_WEEK: u32 = 7 * 24 * 60;
/// How many cycles there are to one coming and going; four without it, which are a minute.
const STEPS: &str = "TIDEMARK_SOAK_STEPS";
const A_MINUTE: u32 = 4;

/// What is left after so many minutes of the cluster's time.
struct Soak {
    minutes: u32,
    /// How often the figures are taken.
    every: u32,
    /// Cycles in a minute; fewer let more come and go in the same time.
    steps: u32,
}

impl Soak {
    /// The figures in order, the first of them after the first `every` minutes.
    fn run(&self) -> Vec<Figures> {
        let mut world = World::new();
        let mut exporter = Soaked::start(&world.bootstrap());
        let mut taken = Vec::new();
        println!("| turns | MB | files | threads | series | bytes of a scrape |\n|---|---|---|---|---|---|");
        for minute in 1..=self.minutes {
            for _ in 0..self.steps {
                world.step();
                exporter.step();
            }
            world.churn();
            if minute % 60 == 0 {
                exporter.another_configuration();
            }
            if minute % self.every == 0 {
                // What went just now is gone when the next cycle has asked for it.
                for _ in 0..2 {
                    world.step();
                    exporter.step();
                }
                taken.push(self.look(minute, &world, &exporter));
            }
        }
        taken
    }

    /// Nothing is left of what is gone, and nothing is missing.
    fn look(&self, minute: u32, world: &World, exporter: &Soaked) -> Figures {
        let (figures, scrape) = exporter.figures();
        println!("{}", figures.row(f64::from(minute) / 100.0));
        if !world.is_whole() {
            // What a lost broker coordinates can be neither listed nor said to be gone.
            return figures;
        }
        let groups: BTreeSet<String> = scrape
            .series("kafka_group_info", &[])
            .map(|(labels, _)| labels["group"].clone())
            .collect();
        assert_eq!(groups, world.groups(), "after {minute} minutes");
        let topics: BTreeSet<String> = scrape
            .series("kafka_topic_partition_count", &[])
            .map(|(labels, _)| labels["topic"].clone())
            .collect();
        let strangers: Vec<_> = topics.difference(&world.topics()).cloned().collect();
        assert_eq!(strangers, Vec::<String>::new(), "after {minute} minutes");
        figures
    }
}

/// The second half is as the first: what grows without end would be seen.
fn held_flat(figures: &[Figures], settled: usize) {
    let (early, late) = figures[settled..].split_at((figures.len() - settled) / 2);
    let most = |part: &[Figures], of: fn(&Figures) -> u64| part.iter().map(of).max().unwrap_or(0);
    for (what, of, slack) in [
        ("kB of memory", (|f| f.resident_kb) as fn(&Figures) -> u64, 12_000),
        ("files", |f| f.files, 12),
        ("threads", |f| f.threads, 6),
        ("series", |f| f.series, 2_000),
    ] {
        let (before, after) = (most(early, of), most(late, of));
        assert!(after <= before + before / 10 + slack, "{what}: {before}, then {after}");
    }
}

#[test]
fn hours_of_coming_and_going_leave_nothing_behind() {
    let figures = Soak {
        minutes: 60,
        every: 5,
        steps: A_MINUTE,
    }
    .run();
    held_flat(&figures, 4);
}

/// The long run, for `docs/performance.md`: `cargo test --test it a_week_of_coming_and_going -- --ignored --nocapture`.
#[test]
#[ignore = "takes the better part of an hour"]
fn a_week_of_coming_and_going_leaves_nothing_behind() {
    let minutes = env::var(MINUTES).map_or(A_WEEK, |minutes| minutes.parse().expect("a number"));
    let figures = Soak {
        minutes,
        every: (minutes / 42).max(1),
        steps: env::var(STEPS).map_or(A_MINUTE, |steps| steps.parse().expect("a number")),
    }
    .run();
    held_flat(&figures, 6);
}
