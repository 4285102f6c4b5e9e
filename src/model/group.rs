//! What kinds of groups there are and which states each can be in, spelt as Kafka spells them.

use std::fmt;

use super::Text;

/// The kind of a group, as the label `type` of `kafka_group_info` says it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupType {
    /// The protocol of JoinGroup and SyncGroup, spoken by consumers.
    Classic,
    /// KIP-848.
    Consumer,
    /// KIP-932: no committed offsets.
    Share,
    /// KIP-1071.
    Streams,
    /// Workers of Kafka Connect, which speak the classic protocol about connectors, not partitions.
    Connect,
    /// Commits only: no members were ever seen.
    Simple,
    /// A type, or a classic protocol type, that nobody here knows.
    Other(Text),
}

impl GroupType {
    /// True where commits exist and lag follows from them.
    pub fn commits_offsets(&self) -> bool {
        matches!(self, Self::Classic | Self::Consumer | Self::Streams | Self::Simple)
    }

    /// True where the members' assignments are partitions of topics.
    pub fn assigns_partitions(&self) -> bool {
        matches!(self, Self::Classic | Self::Consumer | Self::Share | Self::Streams)
    }

    /// The states a group of this type can be in.
    pub fn states(&self) -> &'static [GroupState] {
        use GroupState::Assigning;
        use GroupState::CompletingRebalance;
        use GroupState::Dead;
        use GroupState::Empty;
        use GroupState::NotReady;
        use GroupState::PreparingRebalance;
        use GroupState::Reconciling;
        use GroupState::Stable;
        match self {
            Self::Consumer => &[Empty, Assigning, Reconciling, Stable, Dead],
            Self::Share => &[Empty, Stable, Dead],
            Self::Streams => &[Empty, NotReady, Assigning, Reconciling, Stable, Dead],
            _ => &[PreparingRebalance, CompletingRebalance, Stable, Empty, Dead],
        }
    }
}

impl fmt::Display for GroupType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classic => f.write_str("classic"),
            Self::Consumer => f.write_str("consumer"),
            Self::Share => f.write_str("share"),
            Self::Streams => f.write_str("streams"),
            Self::Connect => f.write_str("connect"),
            Self::Simple => f.write_str("simple"),
            Self::Other(name) => name.fmt(f),
        }
    }
}

/// The state of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupState {
    /// Members are joining; nobody reads (classic).
    PreparingRebalance,
    /// Members wait for their assignment; nobody reads (classic).
    CompletingRebalance,
    /// Every member has what it was assigned.
    Stable,
    /// No members.
    Empty,
    /// Unknown to its coordinator, or about to go.
    Dead,
    /// The coordinator computes an assignment (KIP-848).
    Assigning,
    /// Members move towards their assignment (KIP-848).
    Reconciling,
    /// Source topics are missing (streams groups).
    NotReady,
    /// A state nobody here knows.
    Other(Text),
}

impl GroupState {
    /// Kafka's spelling back to the state; case is ignored, as brokers differ in it.
    pub fn parse(raw: &Text) -> Self {
        let known = [
            Self::PreparingRebalance,
            Self::CompletingRebalance,
            Self::Stable,
            Self::Empty,
            Self::Dead,
            Self::Assigning,
            Self::Reconciling,
            Self::NotReady,
        ];
        let text = raw.to_string();
        known
            .into_iter()
            .find(|state| state.to_string().eq_ignore_ascii_case(&text))
            .unwrap_or_else(|| Self::Other(raw.clone()))
    }

    /// True while partitions move between members, so that owners are unknown and nobody may be reading.
    pub fn is_rebalancing(&self) -> bool {
        matches!(
            self,
            Self::PreparingRebalance | Self::CompletingRebalance | Self::Assigning | Self::Reconciling
        )
    }
}

impl fmt::Display for GroupState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PreparingRebalance => f.write_str("PreparingRebalance"),
            Self::CompletingRebalance => f.write_str("CompletingRebalance"),
            Self::Stable => f.write_str("Stable"),
            Self::Empty => f.write_str("Empty"),
            Self::Dead => f.write_str("Dead"),
            Self::Assigning => f.write_str("Assigning"),
            Self::Reconciling => f.write_str("Reconciling"),
            Self::NotReady => f.write_str("NotReady"),
            Self::Other(name) => name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_any_case_and_an_unknown_one_is_kept() {
        assert_eq!(GroupState::parse(&Text::from("STABLE")), GroupState::Stable);
        assert_eq!(
            GroupState::parse(&Text::from("preparingRebalance")),
            GroupState::PreparingRebalance
        );
        let unknown = Text::from("Napping");
        assert_eq!(GroupState::parse(&unknown).to_string(), "Napping");
    }
}
