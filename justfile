# The one list of tasks. CI runs the same commands (`.ci/run`).

# What there is to do.
default:
    @just --list

# Everything that must hold before a change is taken.
check: fmt clippy doc test

# Formatting.
fmt:
    cargo fmt --check

# Lints.
clippy:
    cargo clippy --all-targets -- -D warnings

# The documentation of the code.
doc:
    RUSTDOCFLAGS=-Dwarnings cargo doc --no-deps

# Licences, sources and doubles of what is built in (needs cargo-deny).
deny:
    cargo deny check

# All tests. Those that lack java, mvn, curl, prometheus, tmux, chromium or npm say so and are skipped.
test:
    cargo test --no-fail-fast

# All tests, none skipped, as CI runs them.
test-all:
    TIDEMARK_TESTS_REQUIRE_ALL=1 cargo test --no-fail-fast

# The tests that need no Kafka, in seconds.
quick:
    cargo test --lib

# Against another Kafka: `just against 3.9.2`.
against version:
    TIDEMARK_TESTS_REQUIRE_ALL=1 TIDEMARK_TESTS_KAFKA={{ version }} cargo test --test it real_

# The pictures of the README and of docs/running.md, taken anew (needs chromium, chromium-driver, prometheus and prometheus-alertmanager).
pictures:
    TIDEMARK_TESTS_PICTURES=1 cargo test --test it page::pictures
    TIDEMARK_TESTS_PICTURES=1 cargo test --test it deploy::live

# What a cycle and a scrape cost on a real broker: see docs/performance.md.
bench:
    cargo bench --bench real_kafka

# The exporter on a broker: `just serve localhost:9092`.
serve brokers="localhost:9092":
    cargo run --release -- serve --brokers {{ brokers }}

# The rules and their unit tests (needs promtool).
rules:
    promtool check rules deploy/prometheus/rules/*.yml
    promtool test rules deploy/prometheus/rules/tests/*.yml

# The dashboards from their source (needs `pip install -r dashboards/requirements.txt`).
dashboards:
    python3 -B dashboards/source/generate.py

# The Debian package (needs cargo-deb).
deb:
    cargo build --release
    mkdir -p target/manual/man
    target/release/tidemark man --all target/manual/man
    for shell in bash zsh fish; do target/release/tidemark completions $shell > target/manual/tidemark.$shell; done
    cargo deb --no-build
