//! The page as its bytes: what is linked, what is escaped, what each state says.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;

use super::client::Answer;
use super::client::Running;
use super::client::published;
use super::client::scrape;
use super::client::serving;
use crate::config::Admin;
use crate::config::Allow;
use crate::config::Patterns;
use crate::failure::Cause;
use crate::http::Limits;
use crate::http::PageSettings;
use crate::http::Scrape;
use crate::metrics::fixture;
use crate::model::GroupId;
use crate::model::Status;
use crate::snapshot::Snapshot;

const PATIENCE: Duration = Duration::from_secs(5);
/// What is hard on markup, addresses, terminals or eyes.
const NASTY: [&[u8]; 20] = [
    b"<script>alert(1)</script>",
    b"\"><img src=x onerror=alert(1)>",
    b"' onmouseover='alert(1)",
    b"javascript:alert(1)",
    b"a&amp;b",
    b"line\nbreak\r\ttab",
    "\u{202e}dne".as_bytes(),
    "\u{627}\u{644}\u{633}\u{644}\u{627}\u{645}".as_bytes(),
    "Gr\u{fc}\u{df}e-\u{6d88}\u{8d39}".as_bytes(),
    b"a\xff\xfe",
    b"%2Fz",
    b"/z",
    b"x#y?z=1&w",
    b"100%",
    b"a b+c",
    b"..",
    b".",
    b"",
    b"\0nul\x1b[31m",
    b"[[B, C]]`{{7*7}}",
];

fn nasty() -> Snapshot {
    let groups = NASTY.iter().map(|&name| {
        let text = GroupId::from(name).to_string();
        let mut topic = fixture::topic(&text, vec![fixture::partition(0, 5, 0, 9)]);
        topic.partitions[0].owner = Some(0);
        let mut group = fixture::group(name, vec![topic]);
        let mut member = fixture::member(0);
        (member.id, member.client_id, member.host) = (text.as_str().into(), text.as_str().into(), text.as_str().into());
        member.instance_id = Some(text.as_str().into());
        group.members.as_mut().expect("there").members = vec![member];
        group.protocol = text.as_str().into();
        group
    });
    fixture::snapshot("<b>\"&", groups.collect())
}

/// The addresses of groups, as a browser reads them from the page.
fn links(page: &Answer) -> Vec<String> {
    let link =
        Regex::new("<th role=\"rowheader\" scope=\"row\" class=\"g\"><a href=\"([^\"]*)\"").expect("an expression");
    let found = link
        .captures_iter(page.text())
        .map(|found| found[1].replace("&amp;", "&"));
    found.map(|address| format!("/{address}")).collect()
}

/// The group's name as the page has it, still escaped.
fn heading(page: &Answer) -> String {
    let heading = Regex::new("<h1>(?:<bdi>)?(.*?)(?:</bdi>)? <span").expect("an expression");
    heading.captures(page.text()).expect("a heading")[1].to_owned()
}

/// Nothing in it runs: tags and attributes are those of the program alone.
fn harmless(page: &Answer) {
    let text = page.text();
    let scripts = text.matches("<script").count();
    assert!(
        scripts == 1 && text.contains("<script src=\"") && text.contains("assets/page.js\" defer></script>"),
        "{text}"
    );
    let tag = Regex::new("<([a-z0-9]+)((?: [^<>]*)?)>").expect("an expression");
    let attribute = Regex::new("([^\\s=\"]+)=\"[^\"]*\"").expect("an expression");
    for found in tag.captures_iter(text) {
        for name in attribute.captures_iter(&found[2]) {
            assert!(!name[1].starts_with("on") && &name[1] != "style", "{}", &found[0]);
        }
    }
    assert!(
        !text.contains("<img") && !text.contains("javascript:alert(1)\""),
        "{text}"
    );
    let steers = |letter: char| letter.is_control() && letter != '\n' || ('\u{202a}'..='\u{202e}').contains(&letter);
    assert!(!text.contains(steers), "{text}");
}

fn strict(page: &Answer) {
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none';") && !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
}

#[tokio::test]
async fn every_group_whatever_its_name_is_linked_and_the_link_leads_to_it() {
    let server = serving(vec![nasty()]).await;
    let overview = server.get("/").await;
    let links = links(&overview);
    assert_eq!(links.len(), NASTY.len());
    let mut headings = Vec::new();
    for link in links {
        // What a browser would do to the path before it asks.
        let (path, query) = link.split_once('?').unwrap_or((&link, ""));
        assert!(path.split('/').all(|step| step != ".." && step != "."), "{link}");
        let page = server.get(&link).await;
        assert_eq!(page.status, 200, "{link} {query}");
        headings.push(heading(&page));
    }
    headings.sort();
    headings.dedup();
    assert_eq!(headings.len(), NASTY.len(), "each leads to another group: {headings:?}");
    for name in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "%2Fz",
        "/z",
        "..",
        "<i>empty name</i>",
        "\\u{202e}dne",
        "a\\xff\\xfe",
    ] {
        assert!(headings.iter().any(|it| it == name), "{name}: {headings:?}");
    }
}

#[tokio::test]
async fn no_name_is_anything_but_text() {
    let server = serving(vec![nasty()]).await;
    let overview = server.get("/").await;
    let mut addresses = links(&overview);
    addresses.extend([
        "/".to_owned(),
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E%22%3E".to_owned(),
        "/?cluster=%3Cscript%3E".to_owned(),
        "/?%3Cscript%3E=1".to_owned(),
        "/clusters/%3Cscript%3E/groups/%22%3E%3Cscript%3E".to_owned(),
        "/clusters/%3Cb%3E%22%26/groups/%22%3E%3Cscript%3E".to_owned(),
        "/clusters/%3Cb%3E%22%26/groups/..?topic=%3Cscript%3E".to_owned(),
    ]);
    for address in addresses {
        let page = server.get(&address).await;
        strict(&page);
        harmless(&page);
    }
}

#[tokio::test]
async fn a_page_that_is_not_there_says_so_and_leads_back() {
    let server = serving(vec![fixture::motley("main")]).await;
    for (address, status, words, root) in [
        (
            "/clusters/main/groups/nope",
            404,
            "no group is called &quot;nope&quot;",
            "../../../",
        ),
        (
            "/clusters/nope/groups/orders",
            404,
            "no cluster is called &quot;nope&quot;",
            "../../../",
        ),
        ("/clusters/main/groups/orders?x=1", 400, "nothing called x", "../../../"),
        ("/?sort=nope", 400, "no such order: nope", "./"),
    ] {
        let page = server.get(address).await;
        assert_eq!(page.status, status, "{address}");
        strict(&page);
        assert!(page.text().contains(words), "{}", page.text());
        assert!(
            page.text().contains(&format!("<a href=\"{root}\">All groups</a>")),
            "{address}"
        );
        assert_eq!(page.header("etag"), None);
    }
}

fn count(page: &Answer, what: &str) -> usize {
    page.text().matches(what).count()
}

const ROW: &str = "<tr role=\"row\" data-key=\"clusters/";

fn crowd(cluster: &str, groups: u32) -> Snapshot {
    let groups = (0..groups).map(|number| {
        let mut group = fixture::group(&*format!("{cluster}-{number:05}"), Vec::new());
        group.status = if number % 100 == 0 {
            Status::Stalled
        } else if number % 10 == 1 {
            Status::Dormant
        } else {
            Status::Ok
        };
        group.lag = Some(u128::from(number) * 1_001);
        group
    });
    fixture::snapshot(cluster, groups.collect())
}

#[tokio::test]
async fn ten_thousand_groups_are_paged_filtered_and_searched_by_the_server() {
    let server = serving(vec![crowd("big", 10_000)]).await;
    let first = server.get("/").await;
    assert_eq!(count(&first, ROW), 100);
    assert!(
        first
            .text()
            .contains("<caption>1 to 100 of 9,000 groups, the worst first</caption>")
    );
    assert!(first.text().contains("1,000 dormant groups are folded away"));
    assert!(
        first
            .text()
            .contains("<a rel=\"next\" href=\"?offset=100\">Next 100</a>")
    );
    assert!(!first.text().contains("rel=\"prev\""));
    assert_eq!(count(&first, "<span class=\"badge bad\">stalled"), 100);
    let last = server.get("/?offset=8950").await;
    assert_eq!(count(&last, ROW), 50);
    assert!(last.text().contains("rel=\"prev\" href=\"?offset=8850\"") && !last.text().contains("rel=\"next\""));
    let beyond = server.get("/?offset=9000").await;
    assert!(beyond.text().contains("The list is shorter than that."));
    let found = server.get("/?q=BIG-0990&sort=lag_records").await;
    assert_eq!(count(&found, ROW), 9);
    assert!(
        found
            .text()
            .contains("1 dormant group is folded away. <a href=\"?q=BIG-0990&amp;sort=lag_records&amp;dormant=1\">")
    );
    assert!(found.text().find("big-09909").expect("there") < found.text().find("big-09908").expect("there"));
    let shown = server.get("/?q=BIG-0990&dormant=1").await;
    assert_eq!(count(&shown, ROW), 10);
    let dormant = server.get("/?status=dormant&limit=7").await;
    assert_eq!(count(&dormant, ROW), 7);
    assert!(dormant.text().contains("of 1,000 groups"));
    let nothing = server.get("/?q=nope").await;
    assert!(nothing.text().contains("No group matches."));
    assert!(first.text().len() < 100_000, "{} bytes", first.text().len());
}

#[tokio::test]
async fn groups_of_several_clusters_stand_in_one_list_and_can_be_told_apart() {
    let server = serving(vec![crowd("one", 3), crowd("two", 3)]).await;
    let both = server.get("/").await;
    assert_eq!(count(&both, ROW), 4);
    assert!(both.text().contains("<small>one · classic · Empty</small>"));
    let order: Vec<_> = ["one-00000", "two-00000", "one-00002", "two-00002"]
        .map(|name| both.text().find(name))
        .into();
    assert!(
        order.iter().all(Option::is_some) && order.is_sorted(),
        "the worst of both first: {order:?}"
    );
    let one = server.get("/?cluster=two").await;
    assert_eq!(count(&one, ROW), 2);
    assert!(!one.text().contains("one-00000"));
    assert!(
        one.text()
            .contains("<a href=\"./\" aria-current=\"true\"><bdi>two</bdi></a>")
    );
    let none = server.get("/?cluster=three").await;
    assert!(none.text().contains("No cluster is called <bdi>three</bdi>."));
}

#[tokio::test]
async fn how_reading_a_cluster_goes_is_said() {
    let fine = {
        let mut fine = fixture::snapshot("fine", Vec::new());
        fine.cycle.as_mut().expect("there").failures.clear();
        fine
    };
    let mut down = fixture::motley("down");
    down.cycle.as_mut().expect("there").up = false;
    let mut never = down.clone();
    (never.cluster, never.read_at) = ("never".into(), None);
    let mut stale = fixture::motley("stale");
    stale.read_at.as_mut().expect("there").mono -= Duration::from_secs(60);
    for (snapshot, badge, words) in [
        (fixture::blank("new"), "quiet\">reading", "The first cycle is under way"),
        (fine.clone(), "fine\">read in full", "Read <time"),
        (fixture::motley("some"), "warn\">partly read", "What could not be read"),
        (
            down,
            "bad\">cannot be reached",
            "The last cycle read nothing. What is shown was read <time",
        ),
        (never, "bad\">cannot be reached", "Nothing could be read yet."),
        (stale, "bad\">stale", "No cycle has ended for too long."),
    ] {
        let server = serving(vec![snapshot]).await;
        let page = server.get("/").await;
        assert!(
            page.text().contains(badge) && page.text().contains(words),
            "{badge}: {}",
            page.text()
        );
    }
    let server = serving(vec![fixture::blank("new")]).await;
    let waiting = server.get("/").await;
    assert!(waiting.text().contains("Nothing was read yet.") && waiting.text().contains("data-refresh=\"1\""));
    let server = serving(vec![fine]).await;
    let empty = server.get("/").await;
    assert!(
        empty
            .text()
            .contains("There are no groups: none that the configuration includes")
    );
}

#[tokio::test]
async fn a_group_that_cannot_be_read_says_why_and_since_when() {
    let mut snapshot = fixture::motley("main");
    let stale = Arc::make_mut(snapshot.groups.last_mut().expect("there"));
    assert_eq!(stale.failure, Some(Cause::TimedOut));
    let server = serving(vec![snapshot]).await;
    let page = server.get("/clusters/main/groups/stale").await;
    for words in [
        "<p class=\"verdict\">",
        "REQUEST_TIMED_OUT",
        "The members are not known: <span class=\"absent\">no answer</span>.",
        "<dt>Lag, records</dt><dd><span class=\"absent\">no answer</span></dd>",
    ] {
        assert!(page.text().contains(words), "{words}: {}", page.text());
    }
    let overview = server.get("/").await;
    assert!(overview.text().contains("then no answer"), "{}", overview.text());
}

#[tokio::test]
async fn a_group_is_told_with_its_topics_partitions_and_members() {
    let server = serving(vec![fixture::motley("main")]).await;
    let page = server.get("/clusters/main/groups/orders").await;
    for words in [
        "<h1><bdi>orders</bdi> <span class=\"badge bad\">stalled</span></h1>",
        "<title>orders: stalled · tidemark</title>",
        "<bdi>client-1</bdi> <small><bdi>10.0.0.1</bdi></small>",
        "<small>80 lost</small>",
        "<small>5 ahead</small>",
        "title=\"840.25 s, give or take 15 s, by when records were seen to arrive\">14 min 0 s</span>",
        "<span class=\"absent\">not allowed</span>",
        "does not exist any more",
        "80 records lost while watched",
        "went back 1 times",
        "<rect class=\"read\" width=\"400\" height=\"10\"/></svg> 40.0 %</span>",
        "<dt>Objective</dt>",
        "client client-1 on host 10.0.0.1",
        "<dt>Lag, last 5 min</dt><dd><svg class=\"spark\"",
        "<li class=\"bad\"><time datetime=",
        "rebalanced 4 times</li>",
        "3 partitions of orders-in reset through tidemark by on-call</li>",
    ] {
        assert!(page.text().contains(words), "{words}: {}", page.text());
    }
    let only = server.get("/clusters/main/groups/orders?topic=was%5Cdeleted").await;
    assert_eq!(count(&only, "data-key=\"p:"), 1);
    assert!(only.text().contains("Only <bdi>was\\deleted</bdi>."));
    let ordered = server.get("/clusters/main/groups/orders?order=partition").await;
    let places: Vec<_> = ["p:orders-in:0", "p:orders-in:1", "p:orders-in:2"]
        .map(|key| ordered.text().find(key))
        .into();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
}

#[tokio::test]
async fn many_partitions_and_members_are_paged() {
    let partitions = (0..450).map(|index| fixture::partition(index, 5, 0, 9)).collect();
    let mut group = fixture::group("wide", vec![fixture::topic("t", partitions)]);
    group.members.as_mut().expect("there").members = (0..70).map(fixture::member).collect();
    let server = serving(vec![fixture::snapshot("main", vec![group])]).await;
    let first = server.get("/clusters/main/groups/wide").await;
    assert_eq!(
        (count(&first, "data-key=\"p:"), count(&first, "data-key=\"m:")),
        (200, 50)
    );
    assert!(first.text().contains("1 to 200 of 450 partitions"));
    assert!(first.text().contains("Show all 70 members"));
    let last = server.get("/clusters/main/groups/wide?offset=400&members=all").await;
    assert_eq!((count(&last, "data-key=\"p:"), count(&last, "data-key=\"m:")), (50, 70));
}

#[tokio::test]
async fn a_page_is_sent_again_only_when_it_has_changed() {
    let (handler, pollers) = scrape(vec![fixture::motley("main")]);
    let clock = handler.0.clock.clone();
    let server = Running::start(handler, Limits::default(), None, PATIENCE).await;
    for path in ["/", "/clusters/main/groups/orders", "/assets/page.js"] {
        let tag = server.get(path).await.header("etag").expect("a tag").to_owned();
        let again = server
            .request(&format!("GET {path} HTTP/1.1\r\nIf-None-Match: {tag}"))
            .await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
    }
    let first = server.get("/").await.header("etag").expect("a tag").to_owned();
    pollers[0].send_modify(|latest| {
        let mut next = (*latest.snapshot).clone();
        next.totals.cycles_ok += 1;
        *latest = published(next);
    });
    let second = server.get("/").await.header("etag").expect("a tag").to_owned();
    assert_ne!(first, second, "after a cycle");
    clock.step(Duration::from_secs(300));
    let third = server.get("/").await.header("etag").expect("a tag").to_owned();
    assert_ne!(second, third, "when no cycle ended for too long");
}

fn admin(groups: &str) -> Admin {
    Admin {
        listen: (Ipv4Addr::LOCALHOST, 9641).into(),
        tokens: Vec::new(),
        allow: vec![Allow {
            cluster: "main".into(),
            groups: Patterns::new([groups]).expect("valid"),
        }],
        audit_log: "audit.jsonl".into(),
        require_reason: false,
        tls: None,
    }
}

#[tokio::test]
async fn the_command_that_plans_a_reset_is_there_where_there_is_an_admin_listener_and_it_allows() {
    let command = "tidemark reset plan --cluster main --group orders --committed --to-current --admin http://127.0.0.1:9641 --token-file TOKEN";
    for (admin, shown, refused) in [
        (None, false, false),
        (Some(admin("orders")), true, false),
        (Some(admin("payments")), false, true),
    ] {
        let (Scrape(state), _pollers) = scrape(vec![fixture::motley("main")]);
        let state = Arc::into_inner(state).expect("the only one");
        let settings = PageSettings {
            admin: admin.map(Arc::new),
            ..PageSettings::default()
        };
        let handler = Scrape(Arc::new(state.with_page(settings)));
        let server = Running::start(handler, Limits::default(), None, PATIENCE).await;
        let page = server.get("/clusters/main/groups/orders").await;
        assert_eq!(page.text().contains(command), shown, "{}", page.text());
        assert_eq!(page.text().contains("does not name this group"), refused);
        assert!(!page.text().contains("method=\"post\""), "nothing writes");
    }
}
