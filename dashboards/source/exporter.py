"""tidemark itself: does it read, how long does it take, what does it cost."""

from parts import UP, board, cluster, fill, graph, stat, timeline

C = 'kafka_cluster=~"$cluster"'
OWN = "and on (instance, job) tidemark_build_info"


def now():
    return [
        stat("Clusters", "1 where the last poll read something.", [(f"max by (kafka_cluster) (tidemark_up{{{C}}})", "{{kafka_cluster}}")], maps=[UP], width=6),
        stat("Since the last whole success", "Since a poll in which nothing failed.", [(f"time() - max by (kafka_cluster) (tidemark_last_success_timestamp_seconds{{{C}}})", "{{kafka_cluster}}")], unit="s", width=6, steps=((None, "green"), (120, "orange"), (900, "red"))),
        stat("Age of the figures", "Age of what is served, of the freshest replica.", [(f"min by (kafka_cluster) (tidemark_snapshot_age_seconds{{{C}}})", "{{kafka_cluster}}")], unit="s", width=6, steps=((None, "green"), (120, "orange"), (300, "red"))),
        stat("Version", "Of every instance.", [("max by (version) (tidemark_build_info)", "{{version}}")], width=6, names=True),
        timeline("Reads", "Whether each cluster could be read.", [(f"max by (kafka_cluster) (tidemark_up{{{C}}})", "{{kafka_cluster}}")], [UP]),
    ]


def polls():
    return [
        graph("Duration of a poll", "By stage; the total is more than the sum of what goes on side by side.", [(f"max by (stage) (tidemark_cycle_duration_seconds{{{C}}})", "{{stage}}")], unit="s"),
        graph("Polls", "How many a second, by result. Skipped: the one before had not ended.", [(f"sum by (result) (max by (kafka_cluster, result) (rate(tidemark_cycles_total{{{C}}}[$__rate_interval])))", "{{result}}")], unit="cps"),
        graph("Requests to Kafka", "How many a second, by call.", [(f"sum by (api) (max by (kafka_cluster, api) (rate(tidemark_kafka_requests_total{{{C}}}[$__rate_interval])))", "{{api}}")], unit="reqps"),
        graph("What Kafka refused or did not answer", "By call and Kafka's own name of the error.", [(f"sum by (api, code) (max by (kafka_cluster, api, code) (rate(tidemark_kafka_errors_total{{{C}}}[$__rate_interval])))", "{{api}} {{code}}")], unit="cps"),
        graph("Groups", "Read in full, left out as configured, not read in full.", [(f"sum by (result) (max by (kafka_cluster, result) (tidemark_groups{{{C}}}))", "{{result}}")]),
        graph("Series left out", "By series_limit, and for names that read alike.", [(f"sum by (why) (max by (kafka_cluster, why) (increase(tidemark_series_dropped_total{{{C}}}[$__rate_interval])))", "{{why}}")]),
        graph("Resets of offsets", "By result. Only where an admin listener is configured.", [(f"sum by (result) (max by (kafka_cluster, result) (increase(tidemark_resets_total{{{C}}}[$__rate_interval])))", "{{result}}")]),
    ]


def process():
    return [
        graph("CPU", "Cores in use by each instance.", [(f"rate(process_cpu_seconds_total[$__rate_interval]) {OWN}", "{{instance}}")], width=8),
        graph("Memory", "Resident memory of each instance.", [(f"process_resident_memory_bytes {OWN}", "{{instance}}")], unit="bytes", width=8),
        graph("Open files", "And connections, of each instance.", [(f"process_open_fds {OWN}", "{{instance}}")], width=8),
        graph("Duration of a scrape", "As Prometheus sees it.", [(f"scrape_duration_seconds {OWN}", "{{instance}}")], unit="s"),
        graph("Samples of a scrape", "Series that Prometheus takes from each instance.", [(f"scrape_samples_scraped {OWN}", "{{instance}}")]),
    ]


def dashboard():
    made = board("tidemark-exporter", "tidemark itself", "The exporter: whether it reads, how long that takes and what it costs.", [cluster(every=True)])
    return fill(made, [("Now", now()), ("Polls", polls()), ("Process", process())])
