//! Three brokers: partitions and coordinators anywhere, and one of them dead or silent.

use super::*;

/// A cluster of three, a topic with a partition on each of them alone, and a group coordinated by each.
struct Three {
    kafka: Kafka,
    topic: String,
    groups: Vec<String>,
}

impl Three {
    fn start() -> Option<Self> {
        let kafka = Kafka::with().brokers(3).start()?;
        let topic = kafka.topic_on(&[&[0], &[1], &[2]]);
        (0..3).for_each(|partition| kafka.produce(&topic, partition, 40));
        let groups = kafka.ids().map(|broker| kafka.group_on(broker)).collect();
        let three = Self { kafka, topic, groups };
        for group in &three.groups {
            three.kafka.commit(
                group,
                &[(&three.topic, 0, 20), (&three.topic, 1, 21), (&three.topic, 2, 22)],
            );
        }
        Some(three)
    }

    fn all(&self) -> Vec<Commits> {
        self.groups.iter().map(|group| self.kafka.committed(group)).collect()
    }

    fn at(&self, offsets: [i64; 3]) -> Commits {
        (0..)
            .zip(offsets)
            .map(|(partition, offset)| ((self.topic.clone(), partition), offset))
            .collect()
    }
}

#[test]
fn groups_of_every_coordinator_go_there_and_back_and_a_dead_broker_closes() {
    let Some(three) = Three::start() else { return };
    let desk = Desk::new(&three.kafka);
    let before = three.all();
    for group in &three.groups {
        let plan = desk.reset(group, &["--committed", "--shift-by", "-7"]);
        let moved: Vec<_> = three
            .groups
            .iter()
            .map(|other| {
                if other == group {
                    three.at([13, 14, 15])
                } else {
                    three.at([20, 21, 22])
                }
            })
            .collect();
        assert_eq!(three.all(), moved);
        desk.undo(&plan, group);
        assert_eq!(three.all(), before);
    }

    // A broker that is silent but not yet given up: whatever needs it cannot be verified.
    let (leader, coordinator) = (&three.groups[0], &three.groups[2]);
    let plans = [leader, coordinator].map(|group| desk.plan(group, &["--committed", "--to-earliest"]));
    three.kafka.pause(2);
    for (plan, group) in plans.iter().zip([leader, coordinator]) {
        let run = desk.execute(plan, group);
        let told = said(&run);
        assert_eq!(run.status.code(), Some(2), "{told}");
        // Once the others have given it up, its partition has no leader.
        assert!(
            told.contains("refused: cannot_verify: ") || told.contains("refused: no_leader: "),
            "{told}"
        );
    }
    three.kafka.resume(2);
    until("all three serve again", || {
        three.kafka.leaders(&three.topic).iter().all(Option::is_some)
    });
    assert_eq!(three.all(), before);

    // One that is dead: its partition has no leader, the coordinator moves to a broker that lives.
    three.kafka.kill_broker(2);
    until("its partition has no leader", || {
        three.kafka.leaders(&three.topic) == [Some(0), Some(1), None]
    });
    until("the coordinator has moved", || {
        three.kafka.coordinator(coordinator).is_some_and(|broker| broker != 2)
            && three.kafka.describe(coordinator).is_some()
    });
    let told = refused(
        &desk.run(&["plan", "--group", coordinator, "--committed", "--to-earliest"]),
        "no_leader",
    );
    assert!(
        told.contains(&format!("{}/2", three.topic)) || told.contains(" 2"),
        "{told}"
    );
    for (plan, group) in plans.iter().zip([leader, coordinator]) {
        refused(&desk.execute(plan, group), "no_leader");
    }
    assert_eq!(three.all(), before);
    // What does not need it can be reset.
    let others = format!("{}:0,1", three.topic);
    let plan = desk.reset(coordinator, &["--topic", &others, "--to-earliest"]);
    assert_eq!(desk.committed(coordinator), three.at([0, 0, 22]));
    desk.undo(&plan, coordinator);
    assert_eq!(three.all(), before);

    // Back again, the plans that were made before all this can be carried out.
    three.kafka.start_broker(2);
    until("all three serve again", || {
        three.kafka.leaders(&three.topic) == [Some(0), Some(1), Some(2)]
    });
    for (plan, group) in plans.iter().zip([leader, coordinator]) {
        let run = desk.execute(plan, group);
        assert!(run.status.success(), "{}", said(&run));
        assert_eq!(desk.committed(group), three.at([0, 0, 0]));
    }
    assert_eq!(desk.committed(&three.groups[1]), three.at([20, 21, 22]));
}
