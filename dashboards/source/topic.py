"""One topic: who reads it, how far behind each reader is, and how far from losing records."""

from parts import STATUS, Column, annotation, board, cluster, fill, graph, group_link, stat, table, variable

T = 'kafka_cluster="$cluster", topic="$topic"'
C = 'kafka_cluster="$cluster"'
RETENTION = f"max(kafka_topic_retention_seconds{{{T}}})"


def of_groups(figure: str) -> str:
    """A figure of every group that reads the topic."""
    return f"max by (kafka_cluster, group) ({figure}{{{T}}})"


def facts():
    return [
        stat("Partitions", "Partitions of the topic.", f"max(kafka_topic_partition_count{{{T}}})"),
        stat("Without a leader", "Partitions that nobody can read or write.", f"max(kafka_topic_leaderless_partitions{{{T}}})", steps=((None, "green"), (1, "red"))),
        stat("Under-replicated", "Partitions with fewer replicas in sync than there should be.", f"max(kafka_topic_under_replicated_partitions{{{T}}})", steps=((None, "green"), (1, "orange"))),
        stat("Retention", "After which time records are deleted. Nothing is shown where it is unlimited or may not be seen.", RETENTION, unit="s"),
        stat("Retention by size", "Beyond which size a partition's oldest records are deleted; likewise.", f"max(kafka_topic_retention_bytes{{{T}}})", unit="bytes"),
        stat("Clean-up", "The topic's cleanup.policy.", [(f"max by (cleanup_policy) (kafka_topic_info{{{T}}})", "{{cleanup_policy}}")], names=True),
    ]


def readers():
    return [
        table(
            "Readers",
            "Groups with a commit or an assignment on the topic. Distance to retention: at 0 the next deletion takes unread records.",
            [
                of_groups("kafka_group_topic_lag_seconds"),
                of_groups("kafka_group_topic_lag_records"),
                f"kafka_cluster_group:kafka_group_status:rank{{{C}}} and on (kafka_cluster, group) {of_groups('kafka_group_topic_assigned_partitions')}",
                of_groups("kafka_group_topic_retention_margin_ratio"),
                of_groups("kafka_group_topic_assigned_partitions"),
                of_groups("kafka_group_topic_uncommitted_partitions"),
            ],
            [
                Column("kafka_cluster", "Cluster"),
                Column("group", "Group", link=group_link()),
                Column("Value #C", "Status of the group", maps=STATUS),
                Column("Value #A", "Lag", "s"),
                Column("Value #B", "Records", "short"),
                Column("Value #D", "Distance to retention", "percentunit"),
                Column("Value #E", "Assigned", "short"),
                Column("Value #F", "Without a commit", "short"),
            ],
            sort="Lag",
        ),
        graph("Lag in time", "Age of the oldest unread record of each reader.", [(of_groups("kafka_group_topic_lag_seconds"), "{{group}}")], unit="s"),
        graph("Lag in records", "Unread records of each reader.", [(of_groups("kafka_group_topic_lag_records"), "{{group}}")]),
        graph(
            "Records a second",
            "What is produced, and what each reader consumes.",
            [(f"max(kafka_cluster_topic:produced_records:rate5m{{{T}}})", "produced"), (of_groups("kafka_cluster_group_topic:consumed_records:rate5m"), "{{group}}")],
            unit="cps",
        ),
        graph(
            "Time left",
            "Until retention deletes the oldest record that each reader has not read. Only where the retention time is known.",
            [(f"clamp_min(scalar({RETENTION}) - {of_groups('kafka_group_topic_lag_seconds')}, 0)", "{{group}}")],
            unit="s",
            steps=((None, "red"), (3600, "green")),
        ),
    ]


def open_transactions():
    of_partition = "max by (partition) ({figure}{{{labels}}})"
    return [
        graph("Records in open transactions", "Records beyond the last stable offset: readers of committed records only do not get there.", [(of_partition.format(figure="kafka_topic_partition_open_transaction_records", labels=T), "{{partition}}")]),
        graph("Open transactions", "How long the last stable offset has stood still with records beyond it, as far as seen. Beyond fifteen minutes no coordinator may know the transaction any more.", [(of_partition.format(figure="kafka_topic_partition_open_transaction_seconds", labels=T), "{{partition}}")], unit="s", steps=((None, "green"), (900, "red"))),
    ]


def log():
    span = f"max by (partition) (kafka_topic_partition_end_offset{{{T}}}) - max by (partition) (kafka_topic_partition_start_offset{{{T}}})"
    return [
        graph("Offsets in the log", "From the start to the end of each partition: records, but for gaps by compaction and transaction markers.", [(span, "{{partition}}")]),
        graph("Distance to retention", "Lowest share of a partition's log that lies before the commit of each reader.", [(of_groups("kafka_group_topic_retention_margin_ratio").replace("max by", "min by"), "{{group}}")], unit="percentunit", steps=((None, "red"), (0.1, "green"))),
    ]


def dashboard():
    made = board(
        "tidemark-topic",
        "Kafka topic and its readers",
        "One topic that consumer groups read. Needs tidemark's recording rules.",
        [cluster(every=False), variable("topic", "Topic", 'label_values(kafka_topic_partition_count{kafka_cluster="$cluster"}, topic)')],
        [annotation("Rewinds", "orange", f"max by (group) (increase(kafka_group_topic_rewinds_total{{{T}}}[$__interval])) > 0")],
    )
    return fill(made, [("Now", facts()), ("Readers", readers()), ("Log", log() + open_transactions())])
