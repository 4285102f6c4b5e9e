//! Streams groups, whose protocol neither the codec nor librdkafka knows.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;

use super::writes::write;
use super::*;

/// A member of a streams group, as much of one as a coordinator needs: neither codec nor librdkafka know the protocol (KIP-1071).
pub(crate) struct StreamsMember {
    stream: TcpStream,
    group: String,
    topic: String,
    epoch: i32,
}

impl StreamsMember {
    pub(crate) fn join(kafka: &Kafka, group: &str, topic: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", kafka.port(0))).expect("a broker");
        let mut member = Self {
            stream,
            group: group.to_owned(),
            topic: topic.to_owned(),
            epoch: 0,
        };
        // There is a coordinator once some group has committed.
        kafka.commit(&unique("somebody"), &[(topic, 0, 0)]);
        until("the member is taken", || member.heartbeat());
        member
    }

    /// Commits one record of partition 0 as a member; false when the coordinator refuses.
    pub(crate) fn commit(&mut self, topic: &str, offset: i64) -> bool {
        let request = crate::support::groups::commit_request(&self.group, &[(topic, 0, offset)])
            .with_member_id(kafka_protocol::protocol::StrBytes::from_static_str("member"))
            .with_generation_id_or_member_epoch(self.epoch);
        let port = self.stream.peer_addr().expect("connected").port();
        let answer = crate::support::wire::Wire::to(port)
            .ok()
            .and_then(|mut wire| wire.call(&request, 9).ok());
        answer.is_some_and(|answer| {
            answer
                .topics
                .iter()
                .flat_map(|t| &t.partitions)
                .all(|p| p.error_code == 0)
        })
    }

    /// Leaves the group.
    pub(crate) fn leave(mut self) {
        self.epoch = -1;
        assert!(self.heartbeat());
    }

    /// False when the coordinator refuses.
    pub(crate) fn heartbeat(&mut self) -> bool {
        let text = |text: &str| [&[u8::try_from(text.len() + 1).expect("short")], text.as_bytes()].concat();
        let topology = match self.epoch {
            0 => [
                &b"\x01\0\0\0\0\x02\x020\x02"[..],
                &text(&self.topic),
                b"\x01\x01\x01\x01\x01\0\0\x01\x01\x01\x02p\xff\x01",
            ]
            .concat(),
            _ => b"\xff\0\0\0\0\xff\0".to_vec(),
        };
        let body = [
            &b"\0\x58\0\0\0\0\0\x01\0\x05tests\0"[..],
            &text(&self.group),
            &text("member"),
            &self.epoch.to_be_bytes(),
            b"\0\0\0\0\0\0\0\0\xea\x60",
            &topology,
            b"\0\0\0\0",
        ]
        .concat();
        let length = u32::try_from(body.len()).expect("short").to_be_bytes();
        self.stream.write_all(&[&length, &body[..]].concat()).expect("sent");
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).expect("an answer");
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).expect("short")];
        self.stream.read_exact(&mut answer).expect("an answer");
        // Correlation id, tags, throttle time; then the error, its message, the member, its epoch.
        if answer[9..11] != [0, 0] {
            return false;
        }
        assert_eq!(answer[11..19], *b"\0\x07member");
        self.epoch = i32::from_be_bytes(answer[19..23].try_into().expect("four"));
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_of_a_streams_group_are_described_with_what_their_tasks_read() {
    let Some(kafka) = Kafka::shared() else { return };
    let (topic, group) = (kafka.topic(2), unique("streams"));
    let mut member = StreamsMember::join(kafka, &group, &topic);
    let mut client = client(kafka);
    let mut groups = [listed(&mut client, &group).await];
    let kind = groups[0]
        .group_type
        .as_ref()
        .map(|kind| kind.to_string().to_lowercase());
    assert_eq!(kind.as_deref(), Some("streams"));
    let expected = vec![(TopicName::from(topic.as_str()), vec![Partition(0), Partition(1)])];
    let began = Instant::now();
    loop {
        assert!(member.heartbeat());
        let described = client.describe(&mut groups, soon()).await;
        let description = described[0].as_ref().expect("described");
        assert_eq!(description.members.len(), 1);
        assert_eq!(description.members[0].client_id.to_string(), "tests");
        if description.members[0].assignment == Assignment::Partitions(expected.clone()) {
            assert_eq!(description.state, GroupState::Stable);
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{description:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let id = GroupId::from(group.as_str());
    let (listed, _) = client.group(&id, soon()).await.expect("facts").expect("it is there");
    assert_eq!(
        listed.group_type.map(|kind| kind.to_string()).as_deref(),
        Some("Streams")
    );
    assert!(client.take_calls().errors.is_empty());
    let mut writer = wire::Writer::new(cluster(&kafka.bootstrap(), &json!({})));
    let results = writer
        .write(&id, &[write(&topic, 0, Some(0), "")], soon())
        .await
        .expect("sent");
    assert_eq!(results, [Err(Cause::Code(ErrorCode::UNKNOWN_MEMBER_ID))]);
}
