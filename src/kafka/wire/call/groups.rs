//! Lists, coordinators and descriptions of groups.

use bytes::BytesMut;
use kafka_protocol::messages::ConsumerGroupDescribeRequest;
use kafka_protocol::messages::DescribeGroupsRequest;
use kafka_protocol::messages::DescribeShareGroupOffsetsRequest;
use kafka_protocol::messages::FindCoordinatorRequest;
use kafka_protocol::messages::GroupId as WireGroup;
use kafka_protocol::messages::ListGroupsRequest;
use kafka_protocol::messages::ShareGroupDescribeRequest;
use kafka_protocol::messages::describe_share_group_offsets_request::DescribeShareGroupOffsetsRequestGroup;

use super::Call;
use super::Message;
use super::text;
use crate::failure::Api;

/// The groups that the broker coordinates, of every state and type.
#[derive(Clone, Debug)]
pub(in super::super) struct ListGroups;

impl Call for ListGroups {
    const API: Api = Api::ListGroups;
    type Request = ListGroupsRequest;

    fn request(&self, _version: i16) -> ListGroupsRequest {
        ListGroupsRequest::default()
    }
}

/// From this version on one request can ask about many groups.
pub(in super::super) const FIND_COORDINATOR_OF_MANY: i16 = 4;

/// Who coordinates these groups? Of one group only, before [`FIND_COORDINATOR_OF_MANY`].
#[derive(Clone, Debug)]
pub(in super::super) struct FindCoordinator {
    pub(in super::super) groups: Vec<String>,
}

impl Call for FindCoordinator {
    const API: Api = Api::FindCoordinator;
    type Request = FindCoordinatorRequest;

    fn lowest(&self) -> i16 {
        if self.groups.len() > 1 {
            FIND_COORDINATOR_OF_MANY
        } else {
            0
        }
    }

    fn request(&self, version: i16) -> FindCoordinatorRequest {
        let request = FindCoordinatorRequest::default();
        let mut keys = self.groups.iter().map(|group| text(group));
        if version >= FIND_COORDINATOR_OF_MANY {
            request.with_coordinator_keys(keys.collect())
        } else {
            request.with_key(keys.next().unwrap_or_default())
        }
    }
}

macro_rules! describe {
    ($(#[$doc:meta])* $name:ident, $request:ident, $field:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(in super::super) struct $name {
            pub(in super::super) groups: Vec<String>,
        }

        impl Call for $name {
            const API: Api = Api::$name;
            type Request = $request;

            fn request(&self, _version: i16) -> $request {
                $request::default().$field(self.groups.iter().map(|group| WireGroup(text(group))).collect())
            }
        }
    };
}

describe! {
    /// State and members of classic groups.
    DescribeGroups, DescribeGroupsRequest, with_groups
}
describe! {
    /// State and members of KIP-848 groups.
    ConsumerGroupDescribe, ConsumerGroupDescribeRequest, with_group_ids
}
describe! {
    /// State and members of share groups.
    ShareGroupDescribe, ShareGroupDescribeRequest, with_group_ids
}

/// Where share groups begin to read, on every partition they have begun on.
#[derive(Clone, Debug)]
pub(in super::super) struct DescribeShareGroupOffsets {
    pub(in super::super) groups: Vec<String>,
}

/// The codec knows v0 of this request, and v1 is written the same, byte for byte.
pub(in super::super) struct ShareOffsetsRequest(DescribeShareGroupOffsetsRequest);

impl Message for ShareOffsetsRequest {
    const KEY: i16 = 90;

    fn header_version(_version: i16) -> i16 {
        2
    }

    fn put(&self, out: &mut BytesMut, _version: i16) -> Result<(), String> {
        self.0.put(out, 0)
    }
}

impl Call for DescribeShareGroupOffsets {
    const API: Api = Api::DescribeShareGroupOffsets;
    type Request = ShareOffsetsRequest;

    fn request(&self, _version: i16) -> ShareOffsetsRequest {
        let whole = |group: &String| {
            DescribeShareGroupOffsetsRequestGroup::default()
                .with_group_id(WireGroup(text(group)))
                .with_topics(None)
        };
        let groups = self.groups.iter().map(whole);
        ShareOffsetsRequest(DescribeShareGroupOffsetsRequest::default().with_groups(groups.collect()))
    }
}

/// State and members of streams groups.
#[derive(Clone, Debug)]
pub(in super::super) struct StreamsGroupDescribe {
    pub(in super::super) groups: Vec<String>,
}

/// The codec does not know this request, but one that is written the same, byte for byte.
pub(in super::super) struct StreamsGroupDescribeRequest(ConsumerGroupDescribeRequest);

impl Message for StreamsGroupDescribeRequest {
    const KEY: i16 = 89;

    fn header_version(_version: i16) -> i16 {
        2
    }

    fn put(&self, out: &mut BytesMut, version: i16) -> Result<(), String> {
        self.0.put(out, version)
    }
}

impl Call for StreamsGroupDescribe {
    const API: Api = Api::StreamsGroupDescribe;
    type Request = StreamsGroupDescribeRequest;

    fn request(&self, _version: i16) -> StreamsGroupDescribeRequest {
        let groups = self.groups.iter().map(|group| WireGroup(text(group)));
        StreamsGroupDescribeRequest(ConsumerGroupDescribeRequest::default().with_group_ids(groups.collect()))
    }
}
