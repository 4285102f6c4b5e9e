//! One order for every list of an answer.

/// Sorts by key; of elements with the same key the last one stays.
pub(super) fn sort_and_keep_last<T, K: Ord + ?Sized>(elements: &mut Vec<T>, key: impl Fn(&T) -> &K) {
    if elements.is_sorted_by(|a, b| key(a) < key(b)) {
        return;
    }
    // The sort is stable: what came later in the answer stands later among its equals.
    elements.sort_by(|a, b| key(a).cmp(key(b)));
    elements.dedup_by(|later, kept| {
        let same = key(later) == key(kept);
        if same {
            std::mem::swap(later, kept);
        }
        same
    });
}

/// Sorts by key; the parts of elements with the same key become one, in the order of the answer.
pub(super) fn sort_and_join<K: Ord, P>(elements: &mut Vec<(K, Vec<P>)>) {
    if elements.is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    elements.sort_by(|a, b| a.0.cmp(&b.0));
    elements.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1.append(&mut later.1);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equals_the_last_stays_and_the_rest_is_sorted() {
        let mut elements = vec![(2, 'a'), (1, 'b'), (2, 'c'), (2, 'd'), (1, 'e'), (0, 'f')];
        sort_and_keep_last(&mut elements, |element| &element.0);
        assert_eq!(elements, [(0, 'f'), (1, 'e'), (2, 'd')]);
    }

    #[test]
    fn neighbours_that_are_equal_are_no_order() {
        let mut elements = vec![(1, 'a'), (1, 'b')];
        sort_and_keep_last(&mut elements, |element| &element.0);
        assert_eq!(elements, [(1, 'b')]);
    }

    #[test]
    fn parts_of_equals_are_joined_in_order() {
        let mut elements = vec![("b", vec![1]), ("a", vec![2]), ("b", vec![3, 1])];
        sort_and_join(&mut elements);
        assert_eq!(elements, [("a", vec![2]), ("b", vec![1, 3, 1])]);
    }
}
