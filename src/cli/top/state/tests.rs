use ratatui::crossterm::event::KeyCode;
use ratatui::crossterm::event::KeyModifiers;
use serde_json::json;

use super::super::fixture;
use super::super::fixture::group;
use super::super::fixture::partition;
use super::super::order::Order;
use super::*;

fn key(code: KeyCode) -> Input {
    Input::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn letter(letter: char) -> Input {
    key(KeyCode::Char(letter))
}

fn with(code: char, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(KeyCode::Char(code), modifiers))
}

/// The motley groups, seen.
fn seen() -> State {
    let mut state = fixture::state();
    assert_eq!(state.take(Input::Heard(Ok(fixture::motley()))), Effect::None);
    state
}

/// What the last of the inputs asked for.
fn take(state: &mut State, inputs: impl IntoIterator<Item = Input>) -> Effect {
    let effects = inputs.into_iter().map(|input| state.take(input));
    effects.last().expect("an input")
}

fn shown(state: &State) -> Vec<&str> {
    let clusters = &state.picture.as_ref().unwrap().clusters;
    let places = state.overview.shown.iter();
    places
        .map(|place| clusters[place.cluster].groups[place.group].group.as_str())
        .collect()
}

fn chosen(state: &State) -> String {
    let picture = state.picture.as_ref().unwrap();
    state.overview.chosen(&picture.clusters).unwrap().0.group
}

fn command(group: &str) -> String {
    format!("tidemark reset plan --cluster main --group {group} --committed --to-current --output table")
}

const EVIL: &str = "evil\x1b]0;x\x07\n";

#[test]
fn the_worst_group_comes_first_and_is_chosen() {
    let state = seen();
    assert_eq!(
        shown(&state),
        [
            "payments",
            "invoice-mailer",
            EVIL,
            "消费者",
            "old-dashboard",
            "checkout",
            "email-workers"
        ]
    );
    assert_eq!(chosen(&state), "payments");
}

#[test]
fn every_key_that_moves_moves() {
    for (keys, at) in [
        (vec![letter('j')], 1),
        (vec![key(KeyCode::Down), key(KeyCode::Down)], 2),
        (vec![letter('j'), letter('j'), letter('k')], 1),
        (vec![letter('j'), key(KeyCode::Up)], 0),
        (vec![key(KeyCode::End)], 6),
        (vec![letter('G')], 6),
        (vec![letter('G'), letter('g')], 0),
        (vec![letter('G'), key(KeyCode::Home)], 0),
        // Six of the ten rows frame the list.
        (vec![Input::Rows(10), key(KeyCode::PageDown)], 4),
        (vec![Input::Rows(10), letter('G'), key(KeyCode::PageUp)], 2),
        (vec![Input::Rows(0), key(KeyCode::PageDown)], 1),
    ] {
        let mut state = seen();
        let said = format!("{keys:?}");
        assert_eq!(take(&mut state, keys), Effect::None, "{said}");
        assert_eq!(state.overview.cursor.at(), at, "{said}");
    }
}

#[test]
fn s_sorts_by_status_lag_time_and_name_in_turn() {
    let mut state = seen();
    for (order, first, last) in [
        (Order::Lag, "invoice-mailer", EVIL),
        (Order::Time, "old-dashboard", "消费者"),
        (Order::Name, "checkout", "消费者"),
        (Order::Status, "payments", "email-workers"),
    ] {
        take(&mut state, [letter('s')]);
        assert_eq!(state.overview.order, order);
        let shown = shown(&state);
        assert_eq!((shown[0], shown[6]), (first, last), "{order:?}");
    }
}

#[test]
fn slash_filters_by_name_or_status_while_it_is_typed() {
    let mut state = seen();
    take(&mut state, [letter('/'), letter('M'), letter('A'), letter('i')]);
    assert!(state.overview.typing);
    assert_eq!(shown(&state), ["invoice-mailer", "email-workers"]);
    take(&mut state, [letter('q'), letter('s')]);
    assert_eq!(shown(&state), Vec::<&str>::new(), "letters are letters");
    take(
        &mut state,
        [key(KeyCode::Backspace), key(KeyCode::Backspace), key(KeyCode::Down)],
    );
    assert_eq!(chosen(&state), "email-workers");
    take(&mut state, [key(KeyCode::Enter)]);
    assert!(!state.overview.typing);
    assert_eq!(shown(&state).len(), 2, "the filter stays");
    take(&mut state, [key(KeyCode::Esc)]);
    assert_eq!(shown(&state).len(), 7, "esc clears it");
    take(&mut state, "/stalled".chars().map(letter));
    assert_eq!(shown(&state), ["payments"]);
    take(&mut state, [key(KeyCode::Esc)]);
    assert!(!state.overview.typing && state.overview.filter.is_empty());
}

#[test]
fn a_filter_has_a_limit() {
    let mut state = seen();
    take(&mut state, "/".chars().chain("x".repeat(1000).chars()).map(letter));
    assert_eq!(state.overview.filter.len(), 256);
}

#[test]
fn d_hides_the_dormant_and_shows_them_again() {
    let mut state = seen();
    take(&mut state, [letter('d')]);
    assert_eq!((shown(&state).len(), state.overview.hidden), (6, 1));
    assert!(!shown(&state).contains(&"old-dashboard"));
    take(&mut state, [letter('d')]);
    assert_eq!((shown(&state).len(), state.overview.hidden), (7, 0));
}

#[test]
fn q_and_control_c_quit_wherever_one_is() {
    let quits = || [letter('q'), with('c', KeyModifiers::CONTROL), Input::Stop];
    for quit in quits() {
        assert_eq!(
            fixture::state().take(quit.clone()),
            Effect::Quit,
            "before the first answer"
        );
        assert_eq!(seen().take(quit.clone()), Effect::Quit, "on the overview");
        assert_eq!(
            take(&mut seen(), [key(KeyCode::Enter), quit]),
            Effect::Quit,
            "in a group"
        );
    }
    let typing = take(&mut seen(), [letter('/'), with('c', KeyModifiers::CONTROL)]);
    assert_eq!(typing, Effect::Quit, "while the filter is typed");
}

#[test]
fn keys_that_mean_nothing_do_nothing() {
    for input in [
        letter('x'),
        key(KeyCode::F(1)),
        key(KeyCode::Tab),
        with('q', KeyModifiers::ALT),
        with('d', KeyModifiers::CONTROL),
        key(KeyCode::Esc),
    ] {
        let mut state = seen();
        assert_eq!(
            take(&mut state, [letter('j'), input.clone()]),
            Effect::None,
            "{input:?}"
        );
        assert_eq!((shown(&state).len(), state.overview.cursor.at()), (7, 1), "{input:?}");
    }
    for input in [key(KeyCode::Enter), letter('y'), letter('j'), letter('s'), letter('d')] {
        assert_eq!(fixture::state().take(input), Effect::None, "before the first answer");
    }
}

/// The first group opened, and its answer heard.
fn opened() -> State {
    let mut state = seen();
    let key_of = fixture::key("main", "payments");
    let effect = take(&mut state, [key(KeyCode::Enter)]);
    assert_eq!(effect, Effect::Open(Some(key_of.clone())));
    assert_eq!(state.open.as_ref().unwrap().seen, None);
    let mut picture = fixture::motley();
    let figures = group("payments", "stalled", json!({"lag_records": 8410}));
    let partitions = vec![
        partition(0, "ok", json!({"lag_records": 5})),
        partition(1, "stalled", json!({"lag_records": 8400})),
        partition(2, "ok", json!({"lag_records": 6, "lag_seconds": 2.0})),
    ];
    picture.opened = Some((key_of, fixture::whole(figures, vec![("pay", partitions)])));
    state.take(Input::Heard(Ok(picture)));
    state
}

fn partitions(state: &State) -> Vec<i32> {
    match &state.open.as_ref().unwrap().seen {
        Some(Opened::Found(group)) => group.partitions.iter().map(|it| it.partition).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn enter_opens_a_group_and_its_partitions_are_sorted_the_worst_first() {
    let mut state = opened();
    for order in [[1, 2, 0], [1, 2, 0], [2, 0, 1], [0, 1, 2], [1, 2, 0]] {
        assert_eq!(partitions(&state), order, "{:?}", state.open.as_ref().unwrap().order);
        take(&mut state, [letter('s')]);
    }
    assert_eq!(state.overview.order, Order::Status, "the overview has its own");
}

#[test]
fn one_moves_among_partitions_and_stays_on_the_one_chosen() {
    let mut state = opened();
    take(&mut state, [letter('j')]);
    let at = |state: &State| partitions(state)[state.open.as_ref().unwrap().cursor.at()];
    assert_eq!(at(&state), 2);
    take(&mut state, [letter('s'), letter('s'), letter('s')]);
    assert_eq!(at(&state), 2);
    take(&mut state, [key(KeyCode::End), key(KeyCode::Down)]);
    assert_eq!(state.open.as_ref().unwrap().cursor.at(), 2);
    assert_eq!(state.overview.cursor.at(), 0);
}

#[test]
fn esc_leads_back_to_where_one_was() {
    for back in [KeyCode::Esc, KeyCode::Backspace] {
        let mut state = seen();
        take(&mut state, [letter('j'), key(KeyCode::Enter), letter('j')]);
        assert_eq!(take(&mut state, [key(back)]), Effect::Open(None));
        assert!(state.open.is_none());
        assert_eq!(chosen(&state), "invoice-mailer");
    }
}

#[test]
fn the_answer_about_another_group_is_not_shown() {
    let mut state = seen();
    take(&mut state, [key(KeyCode::Enter)]);
    let mut picture = fixture::motley();
    picture.opened = Some((fixture::key("other", "payments"), Opened::Gone));
    state.take(Input::Heard(Ok(picture)));
    assert_eq!(state.open.as_ref().unwrap().seen, None);
}

#[test]
fn a_group_that_goes_while_one_looks_is_gone() {
    let mut state = opened();
    let mut picture = fixture::motley();
    picture.opened = Some((fixture::key("main", "payments"), Opened::Gone));
    state.take(Input::Heard(Ok(picture)));
    assert_eq!(state.open.as_ref().unwrap().seen, Some(Opened::Gone));
    assert_eq!(
        take(&mut state, [letter('y')]),
        Effect::None,
        "there is nothing to reset"
    );
}

#[test]
fn y_copies_the_command_that_plans_a_reset() {
    let mut state = seen();
    let payments = command("payments");
    assert_eq!(take(&mut state, [letter('y')]), Effect::Copy(payments.clone()));
    assert_eq!(state.note, Some(Note::Copied(payments.clone())));
    let evil = command("$'evil\\033]0;x\\007\\012'");
    assert_eq!(
        take(&mut state, [letter('j'), letter('j'), letter('y')]),
        Effect::Copy(evil)
    );
    take(&mut state, [letter('k')]);
    assert_eq!(state.note, None, "until the next key");
    assert_eq!(
        take(&mut opened(), [letter('y')]),
        Effect::Copy(payments),
        "in a group too"
    );
}

#[test]
fn there_is_no_command_for_a_group_without_commits() {
    let mut state = seen();
    assert_eq!(take(&mut state, [letter('G'), letter('y')]), Effect::None);
    assert_eq!(state.note, Some(Note::NoCommits("email-workers".into())));
}

#[test]
fn what_is_chosen_stays_chosen_when_the_order_changes_under_it() {
    let mut state = seen();
    take(&mut state, [letter('j')]);
    let mut better = fixture::motley();
    let groups = better.clusters[0].groups.iter().map(|it| match it.group.as_str() {
        "invoice-mailer" => {
            let mut ok = it.clone();
            ok.status = "ok".into();
            ok
        }
        _ => it.clone(),
    });
    better.clusters[0].groups = groups.collect::<Vec<_>>().into();
    state.take(Input::Heard(Ok(better)));
    assert_eq!(chosen(&state), "invoice-mailer");
    assert!(state.overview.cursor.at() > 1);
}

#[test]
fn groups_of_one_name_in_two_clusters_are_two() {
    let cluster = |name| fixture::cluster(name, &[group("g", "ok", json!({}))]);
    let mut state = fixture::state();
    let both = || fixture::picture(vec![cluster("a"), cluster("b")]);
    state.take(Input::Heard(Ok(both())));
    let effect = take(&mut state, [letter('j'), key(KeyCode::Enter)]);
    assert_eq!(effect, Effect::Open(Some(fixture::key("b", "g"))));
    take(&mut state, [key(KeyCode::Esc), Input::Heard(Ok(both()))]);
    assert_eq!(state.overview.cursor.at(), 1);
}

#[test]
fn a_problem_leaves_the_picture_as_it_was_until_the_next_good_answer() {
    let mut state = seen();
    state.take(Input::Heard(Err("h:1: refused".into())));
    assert_eq!(
        (state.problem.as_deref(), shown(&state).len()),
        (Some("h:1: refused"), 7)
    );
    state.take(Input::Heard(Ok(fixture::motley())));
    assert_eq!(state.problem, None);
}

#[test]
fn a_part_that_fails_ends_it() {
    assert_eq!(seen().take(Input::Broken("x".into())), Effect::Fail("x".into()));
}
