//! Brokers and clusters that go away, fall silent, answer nonsense, move: what is still true then.

use std::time::Duration;
use std::time::Instant;

use crate::support::Kafka;
use crate::support::Manner;
use crate::support::Scrape;
use crate::support::Stranger;
use crate::support::Tidemark;
use crate::support::unique;
use crate::support::until;

/// Three brokers whose groups do not move when one is lost, and two groups, each with a topic of its own, 6 records behind.
struct Three {
    kafka: Kafka,
    living: (String, String),
    lost: (String, String),
}

impl Three {
    /// The stranger stands before broker 0, which is the one that gets lost.
    fn start(stranger: &Stranger) -> Option<Self> {
        let kafka = Kafka::with()
            .brokers(3)
            .setting("offsets.topic.replication.factor", "1");
        let kafka = kafka.behind(0, stranger).prepare()?;
        stranger.stand_before(kafka.port(0));
        kafka.start_all();
        let group_on = |coordinator, leader| {
            let (topic, group) = (kafka.topic_on(&[&[leader]]), kafka.group_on(coordinator));
            kafka.produce(&topic, 0, 10);
            kafka.commit(&group, &[(&topic, 0, 4)]);
            (topic, group)
        };
        let (living, lost) = (group_on(1, 1), group_on(0, 2));
        Some(Self { kafka, living, lost })
    }

    /// Polls slowly enough that a connection is tried anew in every cycle.
    fn serve(&self) -> Tidemark {
        let tidemark = Tidemark::of(&self.kafka.bootstrap()).cluster("request_timeout", "700ms");
        tidemark.set("poll_interval", "2s").set("max_staleness", "7s").start()
    }

    /// Broker 0 is lost by `lose` and comes back by `mend`. In between the other brokers' groups are right in every cycle, its own stand
    /// until they are too old and are then absent; after, they are back within two cycles.
    fn lose_and_mend(&self, lose: impl FnOnce(&Kafka), mend: impl FnOnce(&Kafka)) {
        let (kafka, (topic, living), (_, lost)) = (&self.kafka, &self.living, &self.lost);
        let tidemark = self.serve();
        let scrape = tidemark.next_cycle();
        let mut lag = scrape.lag(living).expect("a broker that lives");
        assert_eq!(scrape.lag(lost), Some(6.0));
        let failures = scrape.failures();

        lose(kafka);
        let (began, mut stood) = (Instant::now(), 0);
        loop {
            kafka.produce(topic, 0, 1);
            lag += 1.0;
            let scrape = tidemark.next_cycle();
            assert_eq!(scrape.lag(living), Some(lag));
            match scrape.lag(lost) {
                Some(old) => assert_eq!(old, 6.0),
                None => break,
            }
            stood += 1;
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "what broker 0 said is served for ever"
            );
        }
        assert!(stood > 0, "what broker 0 said was dropped before it was too old");
        self.check_lost(&tidemark.scrape(), failures);
        let late = self.serve();
        let scrape = late.next_cycle();
        assert_eq!((scrape.lag(living), scrape.lag(lost)), (Some(lag), None));

        mend(kafka);
        until("broker 0 knows its group again", || kafka.coordinator(lost) == Some(0));
        assert_eq!(kafka.committed(lost).values().copied().collect::<Vec<_>>(), [4]);
        for tidemark in [tidemark, late] {
            let scrape = tidemark.next_cycle();
            assert_eq!((scrape.lag(living), scrape.lag(lost)), (Some(lag), Some(6.0)));
        }
    }

    fn check_lost(&self, scrape: &Scrape, failures: f64) {
        let (_, lost) = &self.lost;
        assert_eq!(scrape.value("tidemark_up", &[]), Some(1.0));
        assert_eq!(scrape.value("kafka_group_members", &[("group", lost)]), None);
        assert_eq!(scrape.lags(lost), [].into());
        assert_eq!(scrape.series("kafka_group_info", &[("group", lost)]).count(), 1);
        assert_eq!(
            scrape.value("kafka_group_status", &[("group", lost), ("status", "unreadable")]),
            Some(1.0)
        );
        assert!(scrape.failures() > failures && scrape.total("tidemark_cycles_total", &[("result", "partial")]) > 0.0);
        let took = scrape.value("tidemark_cycle_duration_seconds", &[("stage", "total")]);
        assert!(took.is_some_and(|took| took < 3.0), "a cycle took {took:?} s");
    }
}

/// Killed; hanging, as a broker does whose disk does; hiding behind something that answers nonsense.
#[test]
fn a_lost_broker_of_three_costs_its_own_groups_and_nothing_else() {
    let stranger = Stranger::new(Manner::Honest);
    let Some(three) = Three::start(&stranger) else { return };
    three.lose_and_mend(|kafka| kafka.kill_broker(0), |kafka| kafka.start_broker(0));
    three.lose_and_mend(|kafka| kafka.pause(0), |kafka| kafka.resume(0));
    three.lose_and_mend(
        |_| stranger.behave(Manner::Garbage),
        |_| stranger.behave(Manner::Honest),
    );
}

#[test]
fn a_bootstrap_server_that_is_no_broker_costs_nothing_but_itself() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.commit(&group, &[(&topic, 0, 0)]);
    for manner in [Manner::Deaf, Manner::Garbage] {
        let stranger = Stranger::new(manner);
        let servers = format!("{},{}", stranger.address(), kafka.bootstrap());
        let tidemark = Tidemark::of(&servers).cluster("request_timeout", "700ms").start();
        tidemark.scrape_until("the real broker is read", |scrape| scrape.lag(&group) == Some(0.0));
    }
}

/// Nothing but a server that is no broker: the process lives, is not ready, says so, and every cycle ends in its time.
#[test]
fn a_cluster_that_is_none_is_said_to_be_down() {
    for manner in [Manner::Deaf, Manner::Garbage] {
        let stranger = Stranger::new(manner);
        let tidemark = Tidemark::of(&stranger.address())
            .cluster("request_timeout", "700ms")
            .unready()
            .start();
        let scrape = tidemark.scrape_until("two cycles have failed", |scrape| {
            scrape.total("tidemark_cycles_total", &[("result", "failed")]) >= 2.0
        });
        assert_eq!(scrape.value("tidemark_up", &[]), Some(0.0));
        assert_eq!(scrape.count("kafka_group_"), 0);
        let took = scrape.value("tidemark_cycle_duration_seconds", &[("stage", "total")]);
        assert!(took.is_some_and(|took| took < 5.0), "a cycle took {took:?} s");
        assert!(scrape.total("tidemark_kafka_errors_total", &[]) > 0.0);
        assert_eq!(tidemark.get("/-/healthy", &[]).expect("an answer").status, 200);
        assert_eq!(tidemark.get("/-/ready", &[]).expect("an answer").status, 503);
        let (status, took) = tidemark.stop(Duration::from_secs(10));
        assert!(
            status.success() && took < Duration::from_secs(5),
            "{status} after {took:?}"
        );
    }
}

#[test]
fn a_cluster_that_is_down_at_the_start_is_served_once_it_is_up() {
    let Some(kafka) = Kafka::with().prepare() else { return };
    let tidemark = Tidemark::of(&kafka.bootstrap())
        .set("max_staleness", "3s")
        .unready()
        .start();
    let scrape = tidemark.scrape_until("a cycle has failed", |scrape| {
        scrape.total("tidemark_cycles_total", &[("result", "failed")]) >= 1.0
    });
    assert_eq!(
        (scrape.value("tidemark_up", &[]), scrape.count("kafka_group_")),
        (Some(0.0), 0)
    );
    assert_eq!(tidemark.get("/-/ready", &[]).expect("an answer").status, 503);

    kafka.start_all();
    let (topic, group) = (kafka.topic(1), unique("group"));
    kafka.produce(&topic, 0, 10);
    kafka.commit(&group, &[(&topic, 0, 4)]);
    let scrape = tidemark.next_cycle();
    assert_eq!(
        (scrape.lag(&group), scrape.value("tidemark_up", &[])),
        (Some(6.0), Some(1.0))
    );
    assert_eq!(tidemark.get("/-/ready", &[]).expect("an answer").status, 200);

    kafka.kill_broker(0);
    tidemark.scrape_until("it is down again", |scrape| {
        scrape.value("tidemark_up", &[]) == Some(0.0)
    });
    tidemark.scrape_until("what is too old is gone", |scrape| scrape.lag(&group).is_none());
    kafka.start_broker(0);
    tidemark.scrape_until("it is up again", |scrape| scrape.lag(&group) == Some(6.0));
}

/// Leaders and coordinators that move lose no series, and cost two cycles at most.
#[test]
fn leaders_and_coordinators_move_without_a_gap() {
    let Some(kafka) = Kafka::with().brokers(3).start() else {
        return;
    };
    let topic = kafka.topic_on(&[&[0, 1, 2], &[1, 2, 0]]);
    let group = kafka.group_on(0);
    kafka.produce(&topic, 0, 10);
    kafka.commit(&group, &[(&topic, 0, 4), (&topic, 1, 0)]);
    let tidemark = Tidemark::of(&kafka.bootstrap()).start();
    let before = tidemark.next_cycle().of_group(&group);
    let mut lag = 6.0;
    for [first, second, third] in [[1, 2, 0], [2, 0, 1], [0, 1, 2]] {
        kafka.move_leader(&topic, 0, &[first, second, third]);
        assert!(
            tidemark.scrape().of_group(&group).is_superset(&before),
            "a leader's move lost series"
        );
        kafka.move_coordinator(&group, &[first, second, third]);
        assert!(
            tidemark.scrape().of_group(&group).is_superset(&before),
            "a coordinator's move lost series"
        );
        kafka.produce(&topic, 0, 1);
        lag += 1.0;
        let scrape = tidemark.next_cycle();
        assert!(scrape.of_group(&group).is_superset(&before));
        assert_eq!(scrape.lag(&group), Some(lag), "after the move to {first}");
        let coordinator = scrape.value("kafka_group_coordinator_id", &[("group", &group)]);
        assert_eq!(coordinator, Some(f64::from(first)));
    }
    // The same by force: whoever leads and coordinates is killed.
    kafka.kill_broker(0);
    until("others have taken over", || {
        kafka.leaders(&topic).iter().flatten().count() == 2 && kafka.coordinator(&group).is_some()
    });
    kafka.produce(&topic, 0, 1);
    let scrape = tidemark.scrape_until("the lag goes on", |scrape| scrape.lag(&group) == Some(lag + 1.0));
    assert!(scrape.of_group(&group).is_superset(&before));
}

#[test]
fn it_ends_within_its_grace_while_a_broker_hangs() {
    let Some(kafka) = Kafka::with().start() else { return };
    let tidemark = Tidemark::of(&kafka.bootstrap())
        .cluster("request_timeout", "30s")
        .set("shutdown_grace", "3s")
        .start();
    let requests = |scrape: &Scrape| scrape.total("tidemark_kafka_requests_total", &[]);
    tidemark.next_cycle();
    kafka.pause(0);
    // Until a cycle hangs: what is served grows old.
    let old = |scrape: &Scrape| {
        scrape
            .value("tidemark_snapshot_age_seconds", &[])
            .is_some_and(|age| age > 2.5)
    };
    let scrape = tidemark.scrape_until("a cycle hangs", old);
    assert!(requests(&scrape) > 0.0);
    let (status, took) = tidemark.stop(Duration::from_secs(10));
    assert!(
        status.success() && took < Duration::from_secs(5),
        "{status} after {took:?}"
    );
}
