//! `series_limit`: which groups lose the series of their partitions. Largest first, until a tenth below the limit; a group comes back only
//! where that keeps the sum a tenth below, so that nothing flaps at the edge.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::catalog::Family;
use super::catalog::families;
use super::number::Value;
use super::render::Labels;
use super::render::Scope;
use super::render::Sink;
use crate::config::Granularity;
use crate::model::GroupId;

/// Groups whose partitions are not served, and how many series that leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The groups, by name.
    pub groups: Vec<Arc<str>>,
    /// Series they would have had.
    pub series: u64,
}

/// Remembers from cycle to cycle which groups are left out.
#[derive(Debug, Default)]
pub(super) struct Limit {
    left_out: BTreeSet<GroupId>,
}

/// Counts samples instead of writing them.
#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    const READS_LABELS: bool = false;

    fn sample(&mut self, family: &Family, _: Labels<'_>, _: Value) {
        self.0 += usize::from(!family.name.starts_with("tidemark_"));
    }
}

impl Limit {
    /// Makes the scope's groups coarser until the series fit.
    pub(super) fn apply(&mut self, scope: &mut Scope<'_>) -> LeftOut {
        let (fixed, sizes) = count(scope);
        let chosen = self.choose(scope, fixed, &sizes);
        let mut left_out = LeftOut::default();
        for ((group, size), out) in scope.groups.iter_mut().zip(&sizes).zip(&chosen) {
            if *out {
                group.granularity = Granularity::Topic;
                left_out.groups.push(Arc::clone(&group.view.name));
                left_out.series += u64::try_from(*size).unwrap_or(u64::MAX);
            }
        }
        self.left_out = chosen_ids(scope, &chosen);
        left_out
    }

    /// For each group whether its partitions are left out.
    fn choose(&self, scope: &Scope<'_>, fixed: usize, sizes: &[usize]) -> Vec<bool> {
        let limit = scope.cluster.series_limit;
        let target = limit - limit / 10;
        let ids = scope.groups.iter().map(|group| &group.view.id);
        let mut out: Vec<_> = ids.map(|id| self.left_out.contains(id)).collect();
        let kept = sizes.iter().zip(&out).filter(|(_, out)| !**out).map(|(size, _)| size);
        let mut sum = fixed + kept.sum::<usize>();
        let mut by_size: Vec<_> = (0..sizes.len()).filter(|&group| sizes[group] > 0).collect();
        by_size.sort_by_key(|&group| std::cmp::Reverse(sizes[group]));
        if sum > limit {
            for &group in by_size
                .iter()
                .filter(|&&group| !self.left_out.contains(&scope.groups[group].view.id))
            {
                if sum <= target {
                    break;
                }
                sum -= sizes[group];
                out[group] = true;
            }
        } else {
            for &group in by_size.iter().rev() {
                if out[group] && sum + sizes[group] <= target {
                    sum += sizes[group];
                    out[group] = false;
                }
            }
        }
        out
    }
}

fn chosen_ids(scope: &Scope<'_>, chosen: &[bool]) -> BTreeSet<GroupId> {
    let chosen = scope.groups.iter().zip(chosen).filter(|(_, out)| **out);
    chosen.map(|(group, _)| group.view.id.clone()).collect()
}

/// Series that nobody may leave out, and the series of each group's partitions.
fn count(scope: &Scope<'_>) -> (usize, Vec<usize>) {
    let (of_partitions, others): (Vec<_>, Vec<_>) =
        families().partition(|family| family.granularity() == Granularity::Partition);
    let mut fixed = Count::default();
    others.iter().for_each(|family| scope.render(family, &mut fixed));
    let sizes = scope.groups.iter().map(|group| {
        let mut size = Count::default();
        let served = of_partitions.iter().filter(|family| (family.served)(scope.cluster));
        served.for_each(|family| scope.group(family, group, &mut size));
        size.0
    });
    (fixed.0, sizes.collect())
}
