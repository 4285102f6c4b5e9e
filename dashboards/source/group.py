"""One group: how far behind, since when, who owns what, and what it would take."""

from parts import STATUS, Column, annotation, board, cluster, fill, graph, mapping, stat, table, timeline, topic_link, variable

G = 'kafka_cluster="$cluster", group="$group"'
T = G + ', topic=~"$topic"'
PARTITION = "max by (topic, partition)"
PRESENT = mapping({1: ("yes", "blue")})


def of(figure: str) -> str:
    """A figure of the group as recorded."""
    return f"max({figure}{{{G}}})"


def facts():
    return [
        stat("Status", "The worst status of the group's partitions.", of("kafka_cluster_group:kafka_group_status:rank"), maps=[STATUS]),
        stat("Lag", "Age of the oldest record that the group has not read.", of("kafka_cluster_group:kafka_group_lag_seconds:max"), unit="s"),
        stat("Objective", "The greatest age that is allowed, where one is configured.", f"max(kafka_group_lag_objective_seconds{{{G}}})", unit="s"),
        stat("Unread records", "Sum of what could be read.", of("kafka_cluster_group:kafka_group_readable_lag_records:max")),
        stat("Catch up", "Until the lag is read off at the present rates. Nothing is shown where that never happens.", of("kafka_cluster_group:catch_up:seconds"), unit="s"),
        stat("Standing still", "How long no commit has moved though there was something to read, of the worst partition.", of("kafka_cluster_group:kafka_group_stalled_seconds:max"), unit="s"),
        stat("Members", "Members of the group.", f"max(kafka_group_members{{{G}}})"),
        stat("Idle members", "Members without a partition.", f"max(kafka_group_idle_members{{{G}}})", steps=((None, "green"), (1, "orange"))),
        stat("Members needed", "Members that the present rates need, at most one a partition. See docs/autoscaling.md.", of("kafka_cluster_group:members_needed:bounded")),
        stat("Partitions of a member", "Partitions of the most and of the least loaded member.", [(f"max(kafka_group_member_partitions_max{{{G}}})", "most"), (f"max(kafka_group_member_partitions_min{{{G}}})", "least")]),
        stat("Empty for", "Since when the group has had no members, as far as seen. Kafka forgets the commits of an empty group after offsets.retention.minutes.", f"max(kafka_group_empty_seconds{{{G}}})", unit="s", steps=((None, "text"), (432000, "orange"))),
        stat("Coordinator", "The broker that coordinates the group.", f"max(kafka_group_coordinator_id{{{G}}})", unit="none"),
    ]


def history():
    return [
        timeline("Status", "The worst status of the group's partitions over time.", [(of("kafka_cluster_group:kafka_group_status:rank"), "status")], [STATUS], height=4),
        timeline("State", "The state of the group in Kafka's own words.", [(f"max by (state) (kafka_group_state{{{G}}}) == 1", "{{state}}")], [PRESENT]),
        graph("Lag in time", "Age of the oldest unread record by topic, and the objective.", [(f"max by (topic) (kafka_group_topic_lag_seconds{{{T}}})", "{{topic}}"), (f"max(kafka_group_lag_objective_seconds{{{G}}})", "objective")], unit="s"),
        graph("Lag in records", "Unread records by topic. A gap: something of the topic could not be read.", [(f"max by (topic) (kafka_group_topic_lag_records{{{T}}})", "{{topic}}")]),
        graph(
            "Records a second",
            "What is produced into the topics of the group, and what it consumes. A rewind is no consumption.",
            [(of("kafka_cluster_group:produced_records:rate5m"), "produced"), (of("kafka_cluster_group:consumed_records:rate5m"), "consumed")],
            unit="cps",
        ),
        graph("Time to catch up", "By topic. 0 is level, a gap is never.", [(f"max by (topic) (kafka_cluster_group_topic:catch_up:seconds{{{T}}})", "{{topic}}")], unit="s"),
    ]


def partitions():
    status = " or ".join(
        f'{rank} * kafka_group_partition_status{{{T}, status="{word}"}}'
        for rank, word in [(9, "stalled"), (8, "stopped"), (7, "lost"), (6, "unreadable"), (5, "uncommitted"), (4, "ahead"), (3, "rewound"), (2, "behind"), (1, "dormant")]
    )
    rank = f"{PARTITION} ({status})"
    return [
        table(
            "Partitions",
            "Every partition that the group has a commit on. The owner's columns need the group in owner_info.",
            [
                f"{PARTITION} (kafka_group_partition_lag_records{{{T}}})",
                f"{PARTITION} (kafka_group_partition_lag_seconds{{{T}}})",
                f"{PARTITION} (kafka_group_partition_committed_offset{{{T}}})",
                rank,
                f"{PARTITION} (kafka_group_partition_lost_records{{{T}}})",
                f"{PARTITION} (kafka_group_partition_commit_ahead_records{{{T}}})",
                f"max by (topic, partition, client_id, host) (kafka_group_partition_owner_info{{{T}}})",
            ],
            [
                Column("topic", "Topic", link=topic_link()),
                Column("partition", "Partition"),
                Column("Value #D", "Status", maps=STATUS),
                Column("Value #B", "Lag", "s"),
                Column("Value #A", "Records", "short"),
                Column("Value #C", "Committed", "none"),
                Column("Value #E", "Lost", "short"),
                Column("Value #F", "Ahead", "short"),
                Column("client_id", "Client"),
                Column("host", "Host"),
            ],
            sort="Lag",
        ),
        timeline("Partitions that are not ok", "The status of every partition over time. Nothing is shown of those that are ok.", [(rank, "{{topic}} {{partition}}")], [STATUS], height=8),
        graph("Latest partitions", "Age of the oldest unread record of the ten latest partitions.", [(f"topk(10, {PARTITION} (kafka_group_partition_lag_seconds{{{T}}}))", "{{topic}} {{partition}}")], unit="s"),
        graph("Partitions with most unread records", "The ten partitions with the greatest lag: one far above the others is a hot or a stuck one.", [(f"topk(10, {PARTITION} (kafka_group_partition_lag_records{{{T}}}))", "{{topic}} {{partition}}")]),
    ]


def newer():
    tasks = f"max by (role) (kafka_streams_group_tasks{{{G}}})"
    return [
        graph(
            "Epochs",
            "Of groups of the newer protocols: the group's, that of its target assignment, and the lowest that a member has reached. They meet when the group is stable.",
            [(f"max(kafka_group_epoch{{{G}}})", "group"), (f"max(kafka_group_assignment_epoch{{{G}}})", "target assignment"), (f"min(kafka_group_member_epoch_min{{{G}}})", "lowest member")],
            width=8,
        ),
        graph(
            "On the way to the target assignment",
            "Partitions that are not with the member that should have them, members that have not reached the group's epoch, and members that still speak the classic protocol.",
            [(f"max(kafka_group_partitions_pending{{{G}}})", "partitions"), (f"max(kafka_group_members_behind{{{G}}})", "members behind"), (f"max(kafka_group_classic_members{{{G}}})", "classic members")],
            width=8,
        ),
        graph("Tasks", "Tasks of a streams group by role.", [(tasks, "{{role}}")], width=8),
        graph("Share group: lag in records", "Records by topic that the share group is not done with. Never added to the lag of commits.", [(f"max by (topic) (kafka_share_group_topic_lag_records{{{G}}})", "{{topic}}")]),
        graph("Share group: lag in time", "Age of the oldest record by topic that the share group is not done with.", [(f"max by (topic) (kafka_share_group_topic_lag_seconds{{{G}}})", "{{topic}}")], unit="s"),
    ]


def trouble():
    increase = "max by (topic) (increase({}{{" + T + "}}[$__rate_interval]))"
    return [
        graph("Rebalances", "Rebalances and changes of the assignment that were seen.", [(f"max(increase(kafka_group_rebalances_total{{{G}}}[$__rate_interval]))", "rebalances")], width=8),
        graph("Rewinds", "Commits that went down: resets, or a member that began again from an older commit.", [(increase.format("kafka_group_topic_rewinds_total"), "{{topic}}")], width=8),
        graph("Lost records", "Records that retention took before the group read them.", [(increase.format("kafka_group_topic_lost_records_total"), "{{topic}}")], width=8),
        graph("Distance to retention", "Lowest share of a partition's log that lies before the commit: at 0 the next deletion takes unread records.", [(f"min by (topic) (kafka_group_topic_retention_margin_ratio{{{T}}})", "{{topic}}")], unit="percentunit", width=8, steps=((None, "red"), (0.1, "green"))),
        graph("Partitions without a commit", "Of topics where the group has a commit or an assignment.", [(f"max by (topic) (kafka_group_topic_uncommitted_partitions{{{T}}})", "{{topic}}")], width=8),
        graph(
            "What is not known",
            "Committed partitions that could not be read, and partitions whose lag in time cannot be told, by reason.",
            [
                (f"sum by (topic, reason) (max by (topic, reason) (kafka_group_topic_unreadable_partitions{{{T}}}))", "{{topic}} unreadable: {{reason}}"),
                (f"sum by (topic, reason) (max by (topic, reason) (kafka_group_topic_lag_seconds_unknown_partitions{{{T}}}))", "{{topic}} time unknown: {{reason}}"),
            ],
            width=8,
        ),
    ]


def dashboard():
    made = board(
        "tidemark-group",
        "Kafka consumer group",
        "One consumer group. Needs tidemark's recording rules.",
        [
            cluster(every=False),
            variable("group", "Group", 'label_values(kafka_group_info{kafka_cluster="$cluster"}, group)'),
            variable("topic", "Topic", f"label_values(kafka_group_topic_consumed_records_total{{{G}}}, topic)", every=True),
        ],
        [
            annotation("Rebalances", "blue", f"max by (group) (increase(kafka_group_rebalances_total{{{G}}}[$__interval])) > 0"),
            annotation("Rewinds", "orange", f"max by (topic) (increase(kafka_group_topic_rewinds_total{{{G}}}[$__interval])) > 0"),
            annotation("Resets", "purple", 'max by (kafka_cluster) (increase(tidemark_resets_total{kafka_cluster="$cluster", result="executed"}[$__interval])) > 0'),
        ],
    )
    return fill(made, [("Now", facts()), ("Over time", history()), ("Partitions", partitions()), ("Newer protocols", newer()), ("Trouble", trouble())])
