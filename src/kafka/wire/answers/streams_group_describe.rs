//! StreamsGroupDescribe v0: state, epochs and members of streams groups (KIP-1071). The codec does not know this call.

use std::collections::HashMap;

use super::Groups;
use super::Names;
use super::groups::heard;
use super::members::arrange;
use super::members::host;
use super::sorted::sort_and_join;
use super::versions::open;
use crate::failure::Api;
use crate::failure::Heard;
use crate::kafka::wire::read::ReadError;
use crate::kafka::wire::read::Reader;
use crate::model::GroupId;
use crate::model::Partition;
use crate::model::TopicName;
use crate::observation::Assignment;
use crate::observation::Description;
use crate::observation::Epochs;
use crate::observation::Member;
use crate::observation::SomeTasks;
use crate::observation::Tasks;

/// Reads the body of an answer, sorted by group; members sorted by id. A member is assigned what its active tasks read: the partitions of
/// a task, of every source topic of its part of the topology. (Where these topics have unequal numbers of partitions, that names some
/// that do not exist.) Assignments are opaque while the group has no topology.
///
/// # Errors
///
/// When it makes no sense.
pub fn read(body: &[u8], version: i16, names: &mut Names) -> Result<Groups<Description>, ReadError> {
    let mut reader = open(body, Api::StreamsGroupDescribe, version)?;
    reader.int32("throttle time")?;
    let groups = reader.list::<_, 20>("groups", |reader| group(reader, names))?;
    reader.tags()?;
    reader.finish()?;
    Ok(Groups::arrange(groups))
}

/// The topics that each part of the topology reads, by the part's id; `None` while the group has no topology.
type Topology<'a> = Option<HashMap<&'a [u8], Vec<TopicName>>>;

fn group(reader: &mut Reader<'_>, names: &mut Names) -> Result<(GroupId, Heard<Description>), ReadError> {
    let error = reader.error_code()?;
    reader.nullable_string("error message")?;
    let id = GroupId::from(reader.string("group id")?);
    let state = names.state(reader.nullable_string("group state")?);
    let epochs = Epochs {
        group: reader.int32("group epoch")?,
        assignment: reader.int32("assignment epoch")?,
        topology: None,
    };
    let (epoch, topology) = topology(reader, names)?;
    let epochs = Epochs {
        topology: epoch,
        ..epochs
    };
    let members = reader.list::<_, 24>("members", |reader| member(reader, &topology, names))?;
    reader.int32("authorized operations")?;
    reader.tags()?;
    let description = Description {
        state,
        protocol_type: names.text(None),
        protocol: names.text(None),
        members: arrange(members),
        epochs: Some(epochs),
    };
    Ok((id, heard(error, description)))
}

/// Its epoch, and its parts.
fn topology<'a>(reader: &mut Reader<'a>, names: &mut Names) -> Result<(Option<i32>, Topology<'a>), ReadError> {
    if reader.int8("topology")? < 0 {
        return Ok((None, None));
    }
    let epoch = reader.int32("topology epoch")?;
    let mut parts = HashMap::new();
    let known = reader.pass_nullable::<5>("subtopologies", |reader| {
        let id = reader.string("subtopology id")?;
        let mut sources = Vec::new();
        reader.pass::<1>("source topics", |reader| {
            sources.push(names.topic(reader.string("topic name")?));
            Ok(())
        })?;
        reader.pass::<1>("repartition sinks", |reader| reader.string("topic name").map(drop))?;
        reader.pass::<9>("changelogs", |reader| topic(reader).map(drop))?;
        reader.pass::<9>("repartition sources", |reader| {
            sources.push(names.topic(topic(reader)?));
            Ok(())
        })?;
        reader.tags()?;
        parts.insert(id, sources);
        Ok(())
    })?;
    reader.tags()?;
    Ok((Some(epoch), known.map(|_| parts)))
}

/// A topic that the coordinator looks after; its name.
fn topic<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], ReadError> {
    let name = reader.string("topic name")?;
    reader.int32("partitions")?;
    reader.int16("replication factor")?;
    reader.pass::<3>("settings", pair)?;
    reader.tags()?;
    Ok(name)
}

fn pair(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    reader.nullable_string("key")?;
    reader.nullable_string("value")?;
    reader.tags()
}

fn member(reader: &mut Reader<'_>, topology: &Topology<'_>, names: &mut Names) -> Result<Member, ReadError> {
    let id = names.text(reader.nullable_string("member id")?);
    let epoch = reader.int32("member epoch")?;
    let instance_id = reader.nullable_string("instance id")?.map(|id| names.text(Some(id)));
    reader.nullable_string("rack id")?;
    let client_id = names.text(reader.nullable_string("client id")?);
    let host = host(reader.nullable_string("client host")?, names);
    reader.int32("topology epoch")?;
    reader.nullable_string("process id")?;
    if reader.int8("endpoint")? >= 0 {
        reader.nullable_string("endpoint host")?;
        reader.int16("endpoint port")?;
        reader.tags()?;
    }
    reader.pass::<3>("client tags", pair)?;
    reader.pass::<14>("task offsets", task_offset)?;
    reader.pass::<14>("task end offsets", task_offset)?;
    let (assignment, tasks) = assignment(reader, topology, names)?;
    let (target, _) = self::assignment(reader, topology, names)?;
    reader.boolean("is classic")?;
    reader.tags()?;
    Ok(Member {
        id,
        instance_id,
        client_id,
        host,
        assignment,
        target: Some(target),
        epoch: Some(epoch),
        protocol: None,
        tasks: Some(Box::new(tasks)),
    })
}

fn task_offset(reader: &mut Reader<'_>) -> Result<(), ReadError> {
    reader.string("subtopology id")?;
    reader.int32("partition")?;
    reader.int64("offset")?;
    reader.tags()
}

/// What is read, and the tasks that it follows from.
fn assignment(
    reader: &mut Reader<'_>,
    topology: &Topology<'_>,
    names: &mut Names,
) -> Result<(Assignment, Tasks), ReadError> {
    let active = tasks(reader)?;
    let (standby, warmup) = (tasks(reader)?, tasks(reader)?);
    reader.tags()?;
    let tasks = Tasks {
        active: named(&active, names),
        standby: named(&standby, names),
        warmup: named(&warmup, names),
    };
    // Standby and warm-up tasks keep state; they read no source topic.
    Ok((read_by(active, topology), tasks))
}

fn named(tasks: &TaskIds<'_>, names: &mut Names) -> SomeTasks {
    let mut named: SomeTasks = tasks
        .iter()
        .map(|(part, partitions)| (names.text(Some(part)), partitions.clone()))
        .collect();
    sort_and_join(&mut named);
    for (_, partitions) in &mut named {
        partitions.sort_unstable();
        partitions.dedup();
    }
    named
}

fn read_by(active: TaskIds<'_>, topology: &Topology<'_>) -> Assignment {
    let Some(topology) = topology else {
        return Assignment::Opaque;
    };
    let mut topics = Vec::new();
    for (part, partitions) in active {
        let Some(sources) = topology.get(part) else {
            return Assignment::Opaque;
        };
        topics.extend(sources.iter().map(|topic| (topic.clone(), partitions.clone())));
    }
    sort_and_join(&mut topics);
    for (_, partitions) in &mut topics {
        partitions.sort_unstable();
        partitions.dedup();
    }
    Assignment::Partitions(topics)
}

/// Partitions by part of the topology.
type TaskIds<'a> = Vec<(&'a [u8], Vec<Partition>)>;

fn tasks<'a>(reader: &mut Reader<'a>) -> Result<TaskIds<'a>, ReadError> {
    reader.list::<_, 3>("tasks", |reader| {
        let part = reader.string("subtopology id")?;
        let partitions = reader.list::<_, 4>("partitions", |reader| reader.int32("partition").map(Partition))?;
        reader.tags()?;
        Ok((part, partitions))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Cause;
    use crate::failure::ErrorCode;
    use crate::model::GroupState;

    /// By hand, as Kafka's schema of the answer has it: one group with two parts of a topology and two members, one group not found.
    const ANSWER: &[u8] = b"\0\0\0\0\x03\
        \0\0\0\x02g\x07Stable\0\0\0\x05\0\0\0\x04\
        \x01\0\0\0\x01\x03\
        \x020\x02\x03in\x02\x03rp\x02\x03cl\0\0\0\0\0\x01\x02\x02k\x02v\0\0\x01\0\
        \x021\x01\x01\x01\x02\x03rp\0\0\0\x02\0\x01\x01\0\0\0\
        \x03\
        \x02b\0\0\0\x05\0\0\x03cb\x0b/127.0.0.1\0\0\0\x01\x02p\
        \x01\x02h\0\x50\0\x02\x02k\x02v\0\x02\x020\0\0\0\0\0\0\0\0\0\0\0\x07\0\x01\
        \x03\x020\x02\0\0\0\x01\0\x021\x03\0\0\0\x01\0\0\0\0\0\x02\x020\x02\0\0\0\0\0\x01\0\
        \x01\x01\x01\0\0\0\
        \x02a\0\0\0\x05\x02s\0\x03ca\x02h\0\0\0\x01\x02p\xff\x01\x01\x01\
        \x01\x01\x01\0\
        \x02\x020\x02\0\0\0\0\0\x01\x01\0\0\0\
        \x80\0\0\0\0\
        \0\x45\x02?\x02h\x01\0\0\0\0\0\0\0\0\xff\x01\x80\0\0\0\0\
        \0";

    fn partitions(assignment: &Assignment) -> Vec<(String, Vec<i32>)> {
        match assignment {
            Assignment::Partitions(topics) => topics
                .iter()
                .map(|(topic, partitions)| (topic.to_string(), partitions.iter().map(|one| one.0).collect()))
                .collect(),
            Assignment::Opaque => panic!("the topology is there"),
        }
    }

    #[test]
    fn active_tasks_become_the_partitions_that_they_read() {
        let groups = read(ANSWER, 0, &mut Names::new()).unwrap();
        let described = groups.get(&GroupId::from("g")).unwrap().as_ref().unwrap();
        assert_eq!(described.state, GroupState::Stable);
        assert_eq!(
            described.epochs,
            Some(Epochs {
                group: 5,
                assignment: 4,
                topology: Some(1),
            })
        );
        let [a, b] = &described.members[..] else {
            panic!("two members")
        };
        assert_eq!(a.instance_id.as_ref().map(ToString::to_string).as_deref(), Some("s"));
        assert_eq!(partitions(&a.assignment), []);
        let part = |id: &str, partitions: &[i32]| {
            let partitions = partitions.iter().copied().map(Partition).collect();
            (crate::model::Text::from(id), partitions)
        };
        let tasks = Tasks {
            active: vec![part("0", &[1]), part("1", &[0, 1])],
            standby: vec![part("0", &[0])],
            warmup: Vec::new(),
        };
        assert_eq!(b.tasks.as_deref(), Some(&tasks));
        assert_eq!(partitions(a.target.as_ref().unwrap()), [("in".to_owned(), vec![0])]);
        assert_eq!(
            (b.client_id.to_string(), b.host.to_string()),
            ("cb".to_owned(), "127.0.0.1".to_owned())
        );
        assert_eq!(
            partitions(&b.assignment),
            [("in".to_owned(), vec![1]), ("rp".to_owned(), vec![0, 1])]
        );
    }

    #[test]
    fn an_error_stays_with_its_group() {
        let groups = read(ANSWER, 0, &mut Names::new()).unwrap();
        let missing = groups.get(&GroupId::from("h")).unwrap();
        assert_eq!(missing, &Err(Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND)));
    }

    #[test]
    fn every_cut_of_the_answer_is_refused() {
        for end in 0..ANSWER.len() {
            assert!(read(&ANSWER[..end], 0, &mut Names::new()).is_err(), "{end}");
        }
    }
}
