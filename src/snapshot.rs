//! One immutable picture of a cluster per cycle: [`evaluate`] turns what a cycle heard, the history and the last good
//! readings into a [`Snapshot`]. Everything that is shown anywhere is made from it.

mod evaluate;
mod event;
mod explained;
mod group;
mod group_topic;
mod happened;
mod history;
mod members;
mod pair;
mod share;
mod topic;
mod trend;
mod view;

pub use evaluate::ObjectiveOf;
pub use evaluate::ReadsCommitted;
pub use evaluate::Settings;
pub use evaluate::evaluate;
pub use evaluate::nothing_yet;
pub use event::Event;
pub use event::Happening;
pub use event::Who;
pub use history::History;
pub use members::kind;

pub use crate::observation::MemberProtocol;
pub use crate::observation::SomeTasks;
pub use crate::observation::Tasks;

pub use share::ShareFigures;
pub use share::ShareView;
pub use trend::Pace;
pub use trend::Reading;
pub use trend::Trend;
pub use view::CycleView;
pub use view::Explained;
pub use view::GroupTopicView;
pub use view::GroupView;
pub use view::MemberView;
pub use view::MembersView;
pub use view::OwnerView;
pub use view::PartitionView;
pub use view::Snapshot;
pub use view::TaskCounts;
pub use view::TimeView;
pub use view::TopicPartitionView;
pub use view::TopicView;
pub use view::Totals;

pub use crate::verdict::Explanation;

#[cfg(test)]
mod tests;
