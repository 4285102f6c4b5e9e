//! Names that are hard to write down.

use tidemark::sim::Member;

use super::exporter::World;

const HARD: [&str; 18] = [
    "dc-1/tx",
    "/leading",
    " leading blank",
    "x#y",
    "%2Fz",
    "/z",
    "100%",
    "a?b=c&d",
    "a b",
    "a+b",
    "Grüße-消费",
    "A`1[[B, C]]",
    "{curly}",
    "..",
    "quoted\"name",
    "back\\slash",
    "line\nbreak",
    "a\"b\\c\nd",
];

#[tokio::test]
async fn labels_carry_every_name_exactly() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 1000).expect("there");
        for (name, offset) in HARD.iter().zip(0..) {
            m.commit(name, "t", 0, offset);
        }
    });
    let seen = world.exporter().cycle().await;
    for (name, offset) in HARD.iter().zip(0..) {
        assert_eq!(seen.lag(name), Some(f64::from(1000 - offset)), "{name:?}");
    }
}

#[tokio::test]
async fn foreign_bytes_are_shown_as_such_and_their_group_is_not_taken_for_another() {
    let world = World::new(1, |m| {
        m.create_topic("t", 1);
        m.append("t", 0, 10).expect("there");
        for group in ["foreign?", "plain"] {
            m.commit(group, "t", 0, 4);
        }
        m.join("plain", Member::new("client?").assigned("t", &[0]));
    });
    assert!(world.cluster.alias("foreign?", b"foreign\xff"));
    assert!(world.cluster.alias("client?", b"client\xfe"));
    let mut exporter = world.exporter_with(&[
        ("clusters.0.owner_info", ".*"),
        ("clusters.0.record_time.read", "false"),
    ]);
    let seen = exporter.cycle().await;
    assert_eq!(seen.lag("plain"), Some(6.0));
    let owner = [("group", "plain"), ("client_id", "client\\xfe")];
    assert_eq!(seen.series("kafka_group_partition_owner_info", &owner).count(), 1);
    assert_eq!(seen.lag("foreign\\xff"), None, "it cannot be asked for");
    assert_eq!(seen.value("tidemark_groups", &[("result", "unreadable")]), Some(1.0));
}
