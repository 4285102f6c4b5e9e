//! The rows of groups and of partitions.

use super::picture::Cluster;
use super::picture::Figures;
use super::picture::Partition;
use super::picture::Told;
use super::sheet::Cell;
use super::sheet::Column;
use super::sheet::Room;
use super::sheet::Sheet;
use super::state::Place;
use super::words;
use super::words::Reader;
use crate::report::Side;
use crate::report::printable;

/// As wide as the longest status.
const STATUS: Room = Room::Fit("uncommitted".len());
const NUMBER: Room = Room::Fit("1,234,567".len());
const TIME: Room = Room::Fit("14m 59s".len());
const COUNT: Room = Room::Fit(0);

const fn column(title: &'static str, side: Side, room: Room, worth: u8) -> Column {
    Column {
        title,
        side,
        room,
        worth,
    }
}

const CLUSTER: Column = column("CLUSTER", Side::Left, COUNT, 5);
const GROUPS: [Column; 6] = [
    column("GROUP", Side::Left, Room::Rest, 9),
    column("STATUS", Side::Left, STATUS, 8),
    column("LAG", Side::Right, NUMBER, 6),
    column("TIME", Side::Right, TIME, 7),
    column("MEMBERS", Side::Right, COUNT, 3),
    column("STATE", Side::Left, COUNT, 2),
];
const PARTITIONS: [Column; 8] = [
    column("TOPIC", Side::Left, Room::Rest, 8),
    column("PART", Side::Right, COUNT, 9),
    column("COMMITTED", Side::Right, COUNT, 2),
    column("END", Side::Right, COUNT, 1),
    column("LAG", Side::Right, COUNT, 5),
    column("TIME", Side::Right, TIME, 4),
    column("OWNER", Side::Left, Room::Rest, 3),
    column("STATUS", Side::Left, STATUS, 7),
];

/// The groups at these places. The cluster is named where there are several.
pub(super) fn groups(clusters: &[Cluster], places: &[Place], reader: Reader) -> Sheet {
    let named = clusters.len() > 1;
    let rows = places.iter().map(|place| {
        let cluster = &clusters[place.cluster];
        let name = named.then(|| printable(&cluster.health.cluster).into());
        name.into_iter()
            .chain(group(&cluster.groups[place.group], reader))
            .collect()
    });
    Sheet {
        columns: named.then_some(CLUSTER).into_iter().chain(GROUPS).collect(),
        rows: rows.collect(),
    }
}

fn group(it: &Figures, reader: Reader) -> [Cell; 6] {
    [
        printable(&it.group).into(),
        words::status(&it.status),
        reader.number(it.lag()),
        reader.seconds(it.time()),
        reader.number(it.members()),
        reader.word(it.state()),
    ]
}

/// These partitions.
pub(super) fn partitions(partitions: &[Partition]) -> Sheet {
    Sheet {
        columns: PARTITIONS.to_vec(),
        rows: partitions.iter().map(|it| partition(it).to_vec()).collect(),
    }
}

fn partition(it: &Partition) -> [Cell; 8] {
    let (reader, absent) = (Reader::Person, &it.absent);
    let owner = it
        .owner
        .as_ref()
        .map_or(Told::None(""), |owner| Told::Known(owner.client_id.as_str()));
    [
        printable(&it.topic).into(),
        it.partition.to_string().into(),
        reader.number(absent.tell("committed_offset", it.committed_offset)),
        reader.number(absent.tell("end_offset", it.end_offset)),
        reader.number(absent.tell("lag_records", it.lag_records)),
        reader.seconds(absent.tell("lag_seconds", it.lag_seconds)),
        reader.word(owner),
        words::status(&it.status),
    ]
}
