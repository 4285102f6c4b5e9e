use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::KeyCode;
use ratatui::crossterm::event::KeyEvent;
use serde_json::json;

use super::super::fixture;
use super::super::fixture::group;
use super::super::fixture::partition;
use super::super::picture::Picture;
use super::super::state::Input;
use super::*;

fn press(state: &mut State, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            other => KeyCode::Char(other),
        };
        state.take(Input::Key(KeyEvent::from(code)));
    }
}

fn seen(picture: Picture) -> State {
    let mut state = fixture::state();
    state.take(Input::Heard(Ok(picture)));
    state
}

fn terminal(state: &State, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(state, frame)).unwrap();
    terminal
}

/// What is on the screen, without the blanks at the ends of lines.
fn frame(state: &State, size: (u16, u16)) -> String {
    let terminal = terminal(state, size);
    let buffer = terminal.backend().buffer();
    let rows = buffer.content.chunks(usize::from(size.0));
    let rows = rows.map(|row| {
        let mut skip = 0;
        let mut text = String::new();
        for cell in row {
            if skip == 0 {
                text.push_str(cell.symbol());
                skip = crate::report::width(cell.symbol()).max(1);
            }
            skip -= 1;
        }
        text.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// A group with partitions of every kind.
fn opened() -> State {
    let mut state = seen(fixture::motley());
    press(&mut state, "\n");
    let figures = group(
        "payments",
        "stalled",
        json!({
            "lag_records": null, "lag_seconds": 840.25, "stalled_seconds": 720.0, "error_code": "NOT_COORDINATOR",
            "absent": {"lag_records": "no_leader"}
        }),
    );
    let settled = vec![
        partition(
            0,
            "stalled",
            json!({
                "committed_offset": 1_000_000, "end_offset": 1_008_410, "lag_records": 8410, "lag_seconds": 840.25,
                "lag_seconds_error": 0.5, "lag_seconds_method": "record", "stalled_seconds": 720.0
            }),
        ),
        partition(1, "ok", json!({})),
        partition(
            2,
            "unreadable",
            json!({
                "end_offset": null, "lag_records": null, "lag_seconds": null, "owner": null, "fresh": false,
                "error_code": "LEADER_NOT_AVAILABLE",
                "absent": {"end_offset": "no_leader", "lag_records": "no_leader", "lag_seconds": "no_leader"}
            }),
        ),
        partition(
            3,
            "ok",
            json!({
                "committed_offset": null, "lag_records": null, "lag_seconds": null, "owner": {"client_id": "c\x1b[2J", "host": "h"},
                "absent": {"committed_offset": "not_committed", "lag_records": "not_committed", "lag_seconds": "not_committed"}
            }),
        ),
    ];
    let mut picture = fixture::motley();
    picture.opened = Some((
        fixture::key("main", "payments"),
        fixture::whole(figures, vec![("payments.settled.by-region.v2", settled)]),
    ));
    state.take(Input::Heard(Ok(picture)));
    state
}

#[test]
fn the_overview_at_80_by_24() {
    insta::assert_snapshot!(frame(&seen(fixture::motley()), (80, 24)), @r"
    tidemark top · by status · http://127.0.0.1:9640
    7 groups: 1 stalled, 1 stopped, 1 unreadable, 1 behind, 1 dormant, 2 ok · read
    03:04:05 UTC
      GROUP                         STATUS             LAG     TIME  MEMBERS  STATE
    > payments                      stalled          8,410   14m 0s        2  Stable
      invoice-mailer                stopped      1,234,567    1d 1h        0  Empty
      evil\u{1b}]0;x\u{7}\n         unreadable           ?        ?        2  Stable
      消费者                        behind             500        ?        2  Stable
      old-dashboard                 dormant             77   10d 0h        0  Empty
      checkout                      ok                  12     0.4s        3  Stable
      email-workers                 ok                   -        -        2  Stable












    ↑↓ move  enter open  s sort  / filter  d dormant  y reset command  q quit
    ");
}

#[test]
fn the_overview_at_40_columns() {
    insta::assert_snapshot!(frame(&seen(fixture::motley()), (40, 16)), @r"
    tidemark top · by status ·
    http://127.0.0.1:9640
    7 groups: 1 stalled, 1 stopped, 1
    unreadable, 1 behind, 1 dormant, 2 ok ·
    read 03:04:05 UTC
      GROUP             STATUS          TIME
    > payments          stalled       14m 0s
      invoice-mailer    stopped        1d 1h
      evil\u{1…\u{7}\n  unreadable         ?
      消费者            behind             ?
      old-dashboard     dormant       10d 0h
      checkout          ok              0.4s
      email-workers     ok                 -


    enter open  s sort  / filter  q quit
    ");
}

#[test]
fn a_group_at_80_by_24() {
    insta::assert_snapshot!(frame(&opened(), (80, 24)), @r"
    payments · cluster main · by status
    stalled · type classic · state Stable · members 2 · lag ? (the partition has no
    leader) · time 14m 0s · no commit moved for 12m 0s · latest reading failed:
    NOT_COORDINATOR
      TOPIC            PART COMMITTED       END   LAG    TIME OWNER      STATUS
    > payments…gion.v2    0 1,000,000 1,008,410 8,410  14m 0s worker-1   stalled
      payments…gion.v2    2       100         ?     ?       ? -          unreadable
      payments…gion.v2    1       100       100     0      0s worker-1   ok
      payments…gion.v2    3         -       100     -       - c\u{1b}[2J ok











    payments.settled.by-region.v2 0: stalled · committed 1,000,000 · end 1,008,410 ·
    lag 8,410 · time 14m 0s ± 0.5s by record · no commit moved for 12m 0s · owner
    worker-1 on 10.0.0.7
    ↑↓ move  s sort  y reset command  esc back  q quit
    ");
}

#[test]
fn a_partition_that_cannot_be_read_says_why_at_40_columns() {
    let mut state = opened();
    press(&mut state, "j");
    insta::assert_snapshot!(frame(&state, (40, 24)), @r"
    payments · cluster main · by status
    stalled · type classic · state Stable ·
    members 2 · lag ? (the partition has no
    leader) · time 14m 0s · no commit moved
    for 12m 0s · latest reading failed:
    NOT_COORDINATOR
      TOPIC         PART    LAG  STATUS
      paymen…on.v2     0  8,410  stalled
    > paymen…on.v2     2      ?  unreadable
      paymen…on.v2     1      0  ok
      paymen…on.v2     3      -  ok




    payments.settled.by-region.v2 2:
    unreadable · committed 100 · end ? (the
    partition has no leader) · lag ? (the
    partition has no leader) · time ? (the
    partition has no leader) · no owner
    known · latest reading failed:
    LEADER_NOT_AVAILABLE · figures are of
    the last good reading
    ↑↓ move  s sort  esc back  q quit
    ");
}

#[test]
fn a_filter_is_typed_on_the_last_line_with_the_cursor_after_it() {
    let mut state = seen(fixture::motley());
    press(&mut state, "dj/消");
    insta::assert_snapshot!(frame(&state, (60, 8)), @r"
    tidemark top · by status · 0 dormant hidden ·
    http://127.0.0.1:9640
    7 groups: 1 stalled, 1 stopped, 1 unreadable, 1 behind, 1
    dormant, 2 ok · read 03:04:05 UTC
      GROUP     STATUS             LAG     TIME  MEMBERS  STATE
    > 消费者    behind             500        ?        2  Stable

    /消   enter done  esc clear
    ");
    let mut terminal = terminal(&state, (60, 8));
    assert_eq!(terminal.get_cursor_position().unwrap(), (3, 7).into());
}

#[test]
fn a_command_is_shown_whole_however_narrow_it_is() {
    let mut state = seen(fixture::motley());
    press(&mut state, "jjy");
    insta::assert_snapshot!(frame(&state, (60, 16)), @r"
    tidemark top · by status · http://127.0.0.1:9640
    7 groups: 1 stalled, 1 stopped, 1 unreadable, 1 behind, 1
    dormant, 2 ok · read 03:04:05 UTC
      GROUP         STATUS            LAG    TIME MEMBERS STATE
      payments      stalled         8,410  14m 0s       2 Stable
      invoic…mailer stopped     1,234,567   1d 1h       0 Empty
    > evil\u…u{7}\n unreadable          ?       ?       2 Stable
      消费者        behind            500       ?       2 Stable
      old-dashboard dormant            77  10d 0h       0 Empty
    tidemark reset plan --cluster main --group
    $'evil\033]0;x\007\012' --committed --to-current --output
    table
    Given to the clipboard, if the terminal lets it. It changes
    nothing as it stands: put a target in the place of
    --to-current.
    ↑↓ move  enter open  s sort  / filter  d dormant  q quit
    ");
}

#[test]
fn several_clusters_are_named_and_those_in_trouble_told() {
    let clusters = vec![
        fixture::cluster(
            "east",
            &[
                group("orders", "ok", json!({})),
                group("audit", "lost", json!({"lag_records": 3})),
            ],
        ),
        fixture::troubled(
            "west",
            false,
            &["metadata: no broker answers"],
            &[group("orders", "behind", json!({}))],
        ),
    ];
    let mut state = seen(fixture::picture(clusters));
    press(&mut state, "d");
    state.take(Input::Heard(Err("127.0.0.1:9640: no answer in time".into())));
    insta::assert_snapshot!(frame(&state, (72, 12)), @r"
    tidemark top · by status · 0 dormant hidden · http://127.0.0.1:9640
    3 groups: 1 lost, 1 behind, 1 ok · read 03:04:05 UTC
    ! west: nothing could be read: metadata: no broker answers (figures as
    of 03:04:05 UTC)
      CLUSTER  GROUP        STATUS             LAG     TIME  MEMBERS  STATE
    > east     audit        lost                 3       0s        2  Stable
      west     orders       behind               0       0s        2  Stable
      east     orders       ok                   0       0s        2  Stable


    ! 127.0.0.1:9640: no answer in time
    ↑↓ move  enter open  s sort  / filter  d dormant  q quit
    ");
}

#[test]
fn nothing_is_told_as_nothing() {
    let empty = || fixture::picture(vec![fixture::cluster("main", &[])]);
    let dormant = || fixture::picture(vec![fixture::cluster("main", &[group("g", "dormant", json!({}))])]);
    let of = |picture: Picture, keys: &str| {
        let mut state = seen(picture);
        press(&mut state, keys);
        state
    };
    for (state, said) in [
        (fixture::state(), "waiting for the first answer"),
        (of(empty(), ""), "no groups · read 03:04:05 UTC\nthere is no group\n"),
        (of(dormant(), "d"), "all groups are dormant and hidden: d shows them"),
        (
            of(dormant(), "d/g\n"),
            "all groups that match are dormant and hidden: d shows them",
        ),
        (
            of(fixture::motley(), "/zzz\n"),
            "no group has \"zzz\" in its name, or as its status",
        ),
    ] {
        let frame = frame(&state, (70, 8));
        assert!(frame.contains(said) && !frame.contains("STATUS"), "{frame}");
    }
}

#[test]
fn a_group_that_is_gone_or_empty_says_so() {
    let mut state = seen(fixture::motley());
    press(&mut state, "\n");
    assert!(frame(&state, (60, 6)).contains("waiting for the first answer"));
    for (opened, said) in [
        (super::super::picture::Opened::Gone, "! the group is not there any more"),
        (
            fixture::whole(group("payments", "ok", json!({})), Vec::new()),
            "it has no commit on any partition",
        ),
    ] {
        let mut picture = fixture::motley();
        picture.opened = Some((fixture::key("main", "payments"), opened));
        state.take(Input::Heard(Ok(picture)));
        assert!(frame(&state, (60, 8)).contains(said), "{}", frame(&state, (60, 8)));
    }
}

#[test]
fn no_frame_holds_what_steers_a_terminal_and_none_panics_at_any_size() {
    let mut note = seen(fixture::motley());
    press(&mut note, "jjy");
    let mut typing = seen(fixture::motley());
    press(&mut typing, "/evil");
    for state in [fixture::state(), seen(fixture::motley()), opened(), note, typing] {
        for size in [
            (1, 1),
            (1, 24),
            (80, 1),
            (2, 2),
            (5, 3),
            (13, 7),
            (39, 5),
            (80, 24),
            (300, 60),
        ] {
            let frame = frame(&state, size);
            let steers = |letter: char| letter != '\n' && letter.is_control();
            assert!(!frame.contains(steers), "{frame:?}");
        }
    }
}

#[test]
fn the_chosen_row_is_seen_wherever_it_is() {
    let groups = (0..200).map(|n| group(&format!("group-{n:03}"), "ok", json!({})));
    let mut state = seen(fixture::picture(vec![fixture::cluster(
        "main",
        &groups.collect::<Vec<_>>(),
    )]));
    for _ in 0..120 {
        press(&mut state, "j");
        let row = format!("> group-{:03}", state.overview.cursor.at());
        assert!(frame(&state, (60, 12)).contains(&row), "{row}");
    }
}

#[test]
fn colour_goes_with_the_word_and_never_alone() {
    let mut state = seen(fixture::motley());
    state.take(Input::Heard(Err("refused".into())));
    let terminal = terminal(&state, (80, 24));
    let rows = terminal.backend().buffer().content.chunks(80);
    let coloured = |row: &[ratatui::buffer::Cell], colour| -> String {
        let cells = row.iter().filter(|cell| cell.fg == colour);
        cells
            .map(ratatui::buffer::Cell::symbol)
            .collect::<String>()
            .trim()
            .to_owned()
    };
    let of = |colour| -> Vec<String> {
        let texts = rows.clone().map(|row| coloured(row, colour));
        texts.filter(|text| !text.is_empty()).collect()
    };
    assert_eq!(of(Color::Red), ["stalled", "stopped", "! refused"]);
    assert_eq!(of(Color::Green), ["ok", "ok"]);
}
