//! One immutable picture of a cluster per cycle: [`evaluate`](evaluate::evaluate) turns what a cycle heard, the history and the last good
//! readings into a [`Snapshot`]. Everything that is shown anywhere is made from it.

mod view;

pub use view::CycleView;
pub use view::GroupTopicView;
pub use view::GroupView;
pub use view::MemberView;
pub use view::MembersView;
pub use view::PartitionView;
pub use view::Snapshot;
pub use view::TimeView;
pub use view::TopicPartitionView;
pub use view::TopicView;
pub use view::Totals;
