"""Which groups need somebody now, and are the clusters and the exporter well. Reads recording rules, never every partition of a cluster."""

from parts import STATUS, UP, Column, annotation, board, cluster, fill, graph, group_link, stat, table

C = 'kafka_cluster=~"$cluster"'
RANK = f"kafka_cluster_group:kafka_group_status:rank{{{C}}}"
# The fifty worst: what a person can read.
WORST = f"topk(50, {RANK} > 0)"


def worst(figure: str) -> str:
    """A figure of the worst groups only."""
    return f"{figure}{{{C}}} and on (kafka_cluster, group) {WORST}"


def now():
    return [
        stat("Clusters", "Whether tidemark reads something of each cluster.", [(f"max by (kafka_cluster) (tidemark_up{{{C}}})", "{{kafka_cluster}}")], maps=[UP]),
        stat("Groups", "Consumer groups that are known.", f"count({RANK})"),
        stat(
            "Need somebody",
            "Groups whose status is behind or worse. Dormant groups are not among them.",
            f"count({RANK} > 1) or vector(0)",
            steps=((None, "green"), (1, "orange")),
        ),
        stat(
            "Stuck or stopped",
            "Groups whose status is stalled or stopped.",
            f"count({RANK} >= 8) or vector(0)",
            steps=((None, "green"), (1, "red")),
        ),
        stat("Latest", "Age of the oldest record that any group has not read, dormant groups left out.", f"max(kafka_cluster_group:kafka_group_lag_seconds:max{{{C}}} unless on (kafka_cluster, group) {RANK} == 1)", unit="s"),
        stat("Unread records", "Sum over all groups of what could be read.", f"sum(kafka_cluster_group:kafka_group_readable_lag_records:max{{{C}}})"),
        table(
            "Groups that need somebody, worst first",
            "By status, then by time. Catch up: until the lag is read off at the present rates, empty when never. The fifty worst.",
            [
                WORST,
                worst("kafka_cluster_group:kafka_group_lag_seconds:max"),
                worst("kafka_cluster_group:kafka_group_readable_lag_records:max"),
                worst("kafka_cluster_group:kafka_group_stalled_seconds:max"),
                worst("kafka_cluster_group:kafka_group_members:max"),
                worst("kafka_cluster_group:catch_up:seconds"),
                f"kafka_cluster_group:owner:info{{{C}, team!=\"\"}} and on (kafka_cluster, group) {WORST}",
            ],
            [
                Column("kafka_cluster", "Cluster"),
                Column("group", "Group", link=group_link()),
                Column("Value #A", "Status", maps=STATUS),
                Column("Value #B", "Lag", "s"),
                Column("Value #C", "Records", "short"),
                Column("Value #D", "Standing still", "s"),
                Column("Value #E", "Members", "short"),
                Column("Value #F", "Catch up", "s"),
                Column("team", "Team"),
            ],
            sort="Status",
        ),
        table(
            "Alerts that fire",
            "What the alert rules of tidemark say now.",
            [f'max by (alertname, severity, kafka_cluster, group, topic) (ALERTS{{alertname=~"Kafka.*|Tidemark.*", alertstate="firing", {C}}})'],
            [
                Column("alertname", "Alert"),
                Column("severity", "Severity"),
                Column("kafka_cluster", "Cluster"),
                Column("group", "Group", link=group_link()),
                Column("topic", "Topic"),
            ],
            sort="Severity",
            height=8,
        ),
    ]


def lag():
    return [
        graph("Groups by status", "How many groups are not ok.", [(f'sum by (status) (kafka_cluster_status:groups:count{{{C}, status!="ok"}})', "{{status}}")], stacked=True),
        graph("Latest groups", "Age of the oldest unread record of the ten latest groups, dormant ones left out.", [(f"topk(10, kafka_cluster_group:kafka_group_lag_seconds:max{{{C}}} unless on (kafka_cluster, group) {RANK} == 1)", "{{group}}")], unit="s"),
        graph("Groups with most unread records", "The ten groups with the greatest lag in records.", [(f"topk(10, kafka_cluster_group:kafka_group_readable_lag_records:max{{{C}}})", "{{group}}")]),
        graph(
            "Records a second",
            "What is produced into the topics that groups read, and what all groups consume.",
            [(f"sum(kafka_cluster_topic:produced_records:rate5m{{{C}}})", "produced"), (f"sum(kafka_cluster_group:consumed_records:rate5m{{{C}}})", "consumed")],
            unit="cps",
        ),
    ]


def health():
    return [
        stat("Brokers", "Brokers that the metadata names.", [(f"max by (kafka_cluster) (kafka_cluster_brokers{{{C}}})", "{{kafka_cluster}}")]),
        stat("Partitions without a leader", "Of topics that some group reads: nobody can read or write them.", f"sum(max by (kafka_cluster, topic) (kafka_topic_leaderless_partitions{{{C}}}))", steps=((None, "green"), (1, "red"))),
        stat("Under-replicated partitions", "Of topics that some group reads.", f"sum(max by (kafka_cluster, topic) (kafka_topic_under_replicated_partitions{{{C}}}))", steps=((None, "green"), (1, "orange"))),
        stat("Age of the figures", "Age of what tidemark serves, of the freshest replica.", f"max(min by (kafka_cluster) (tidemark_snapshot_age_seconds{{{C}}}))", unit="s", steps=((None, "green"), (120, "orange"), (300, "red"))),
        stat("Unreadable groups", "Groups that the last poll could not read in full.", f'sum(max by (kafka_cluster) (tidemark_groups{{{C}, result="unreadable"}}))', steps=((None, "green"), (1, "orange"))),
        stat("Duration of a poll", "How long the last poll took, of the slowest cluster.", f'max(tidemark_cycle_duration_seconds{{{C}, stage="total"}})', unit="s"),
    ]


def dashboard():
    made = board(
        "tidemark-overview",
        "Kafka consumer groups",
        "Which consumer groups need somebody now. Needs tidemark's recording rules.",
        [cluster(every=True)],
        [annotation("Resets", "purple", f'max by (kafka_cluster) (increase(tidemark_resets_total{{{C}, result="executed"}}[$__interval])) > 0')],
    )
    return fill(made, [("Now", now()), ("Lag", lag()), ("Clusters and exporter", health())])
