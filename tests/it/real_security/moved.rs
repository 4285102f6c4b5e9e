//! A cluster behind the same name is another one: every broker was replaced.

use serde_json::json;

use super::Both;
use super::topic;
use crate::support::Kafka;
use crate::support::Manner;
use crate::support::Stranger;

#[test]
fn real_both_clients_follow_a_bootstrap_name_behind_which_all_brokers_were_replaced() {
    let Some(new) = Kafka::shared() else { return };
    let Some(old) = Kafka::with().start() else { return };
    let name = Stranger::new(Manner::Honest);
    name.stand_before(old.port(0));
    let mut both = Both::of(&name.address(), &json!({}));
    let (before, after) = (topic(&old), topic(new));
    both.come_in(&before);
    drop(old);
    name.stand_before(new.port(0));
    both.come_in_soon(&after);
    both.come_in(&after);
}
