//! Where share groups begin to read, asked of their coordinators.

use tokio::time::Instant;

use super::Client;
use super::groups::Question;
use super::locate::moved;
use super::locate::unheard;
use crate::failure::Api;
use crate::failure::Cause;
use crate::failure::ErrorCode;
use crate::failure::Heard;
use crate::kafka::wire::answers;
use crate::kafka::wire::answers::Groups;
use crate::kafka::wire::answers::Names;
use crate::kafka::wire::call::DescribeShareGroupOffsets;
use crate::kafka::wire::read::ReadError;
use crate::model::GroupId;
use crate::observation::ListedGroup;
use crate::observation::TopicShares;

/// Groups in one request: a coordinator asks the persister for every partition of them.
const BATCH: usize = 100;

struct Shares;

impl Question for Shares {
    type Call = DescribeShareGroupOffsets;
    type Answer = Vec<TopicShares>;

    fn call(groups: Vec<String>) -> DescribeShareGroupOffsets {
        DescribeShareGroupOffsets { groups }
    }

    fn most(_version: i16) -> usize {
        BATCH
    }

    fn read(body: &[u8], version: i16, _: &GroupId, names: &mut Names) -> Result<Groups<Vec<TopicShares>>, ReadError> {
        answers::describe_share_group_offsets::read(body, version, names)
    }
}

impl Client {
    pub(super) async fn all_shares(
        &mut self,
        groups: &mut [ListedGroup],
        deadline: Instant,
    ) -> Vec<Heard<Vec<TopicShares>>> {
        let all: Vec<_> = (0..groups.len()).collect();
        let mut heard = unheard(groups.len());
        let wanted = self.at_first(groups, &all, &mut heard, deadline).await;
        let mut again = Vec::new();
        for (index, shares) in self.ask_groups::<Shares>(wanted, deadline).await {
            if shares.as_ref().is_err_and(|cause| moved(&groups[index], *cause)) {
                again.push(index);
            }
            heard[index] = shares;
        }
        let wanted = self.at_second(groups, &again, &mut heard, deadline).await;
        for (index, shares) in self.ask_groups::<Shares>(wanted, deadline).await {
            heard[index] = shares;
        }
        for shares in &mut heard {
            self.settle_shares(shares);
        }
        heard
    }

    /// Counts the partitions that are errors. A group that its coordinator does not know has begun nowhere.
    fn settle_shares(&self, shares: &mut Heard<Vec<TopicShares>>) {
        if *shares == Err(Cause::Code(ErrorCode::GROUP_ID_NOT_FOUND)) {
            *shares = Ok(Vec::new());
        }
        let topics = shares.as_deref().unwrap_or_default();
        for (_, share) in topics.iter().flat_map(|topic| &topic.partitions) {
            if let Err(cause) = share {
                self.failed(Api::DescribeShareGroupOffsets, *cause);
            }
        }
    }
}
