//! The list of groups: which are shown, in which order, and which is chosen.

use super::super::cursor::Cursor;
use super::super::cursor::Step;
use super::super::order::Order;
use super::super::picture::Cluster;
use super::super::picture::Figures;
use super::super::picture::Key;

/// The longest filter: a longer one would be no name that somebody looks for.
const FILTER_LIMIT: usize = 256;

/// Whether dormant groups are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli::top) enum Dormant {
    #[default]
    Shown,
    Hidden,
}

/// Where a group is in a picture: the places of its cluster and of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::top) struct Place {
    pub(in crate::cli::top) cluster: usize,
    pub(in crate::cli::top) group: usize,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub(in crate::cli::top) struct Overview {
    pub(in crate::cli::top) order: Order,
    pub(in crate::cli::top) dormant: Dormant,
    /// Only groups with this in their name, whatever its case, or with this status.
    pub(in crate::cli::top) filter: String,
    /// Whether keys go into the filter.
    pub(in crate::cli::top) typing: bool,
    /// The groups that are shown, in order; places in the latest picture.
    pub(in crate::cli::top) shown: Vec<Place>,
    /// Dormant groups that would be shown, were they not hidden.
    pub(in crate::cli::top) hidden: usize,
    pub(in crate::cli::top) cursor: Cursor<Key>,
}

impl Overview {
    /// Finds out anew what is shown.
    pub(in crate::cli::top) fn arrange(&mut self, clusters: &[Cluster]) {
        let wanted = self.filter.to_lowercase();
        let matching = places(clusters).filter(|place| {
            let group = at(clusters, *place);
            wanted.is_empty() || group.status == wanted || group.group.to_lowercase().contains(&wanted)
        });
        let hides = |place: &Place| self.dormant == Dormant::Hidden && at(clusters, *place).status == "dormant";
        let (hidden, mut shown): (Vec<_>, Vec<_>) = matching.partition(hides);
        shown.sort_by(|a, b| {
            let (one, other) = (at(clusters, *a), at(clusters, *b));
            let rank = self.order.groups(one, other);
            rank.then_with(|| one.group.cmp(&other.group))
                .then(a.cluster.cmp(&b.cluster))
        });
        (self.hidden, self.shown) = (hidden.len(), shown);
        let shown = &self.shown;
        self.cursor.settle(shown.len(), |held| {
            shown.iter().position(|place| {
                at(clusters, *place).group == held.group && clusters[place.cluster].health.cluster == held.cluster
            })
        });
    }

    /// The chosen group.
    pub(super) fn chosen<'a>(&self, clusters: &'a [Cluster]) -> Option<(Key, &'a Figures)> {
        let place = *self.shown.get(self.cursor.at())?;
        Some((key(clusters, place), at(clusters, place)))
    }

    pub(super) fn step(&mut self, step: Step, page: usize, clusters: &[Cluster]) {
        let shown = &self.shown;
        self.cursor.step(step, (shown.len(), page), |row| {
            shown.get(row).map(|place| key(clusters, *place))
        });
    }

    pub(super) fn type_letter(&mut self, letter: char) {
        if self.filter.chars().count() < FILTER_LIMIT {
            self.filter.push(letter);
        }
    }

    pub(super) fn turn_dormant(&mut self) {
        self.dormant = match self.dormant {
            Dormant::Shown => Dormant::Hidden,
            Dormant::Hidden => Dormant::Shown,
        };
    }
}

fn places(clusters: &[Cluster]) -> impl Iterator<Item = Place> {
    clusters.iter().enumerate().flat_map(|(cluster, it)| {
        let groups = 0..it.groups.len();
        groups.map(move |group| Place { cluster, group })
    })
}

/// The group at a place that [`places`] named.
fn at(clusters: &[Cluster], place: Place) -> &Figures {
    &clusters[place.cluster].groups[place.group]
}

fn key(clusters: &[Cluster], place: Place) -> Key {
    Key {
        cluster: clusters[place.cluster].health.cluster.clone(),
        group: at(clusters, place).group.clone(),
    }
}
