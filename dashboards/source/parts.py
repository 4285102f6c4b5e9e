"""What the dashboards are made of: variables, links, and panels that all have a unit, a description and aggregated expressions."""

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus
from grafana_foundation_sdk.builders import stat as stat_builders
from grafana_foundation_sdk.builders import statetimeline
from grafana_foundation_sdk.builders import table as table_builders
from grafana_foundation_sdk.builders import timeseries as timeseries_builders
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

DATASOURCE = dashboard.DataSourceRef(type_val="prometheus", uid="${datasource}")

# The contract's statuses by the rank that the recording rule gives them, with a colour for each.
STATUSES = {
    9: ("stalled", "dark-red"),
    8: ("stopped", "red"),
    7: ("lost", "dark-purple"),
    6: ("unreadable", "purple"),
    5: ("uncommitted", "dark-orange"),
    4: ("ahead", "orange"),
    3: ("rewound", "blue"),
    2: ("behind", "yellow"),
    1: ("dormant", "text"),
    0: ("ok", "green"),
}


def mapping(words: dict[int, tuple[str, str]]) -> dashboard.ValueMap:
    """Words and colours in the place of numbers."""
    return dashboard.ValueMap(
        options={
            str(value): dashboard.ValueMappingResult(text=text, color=color, index=index)
            for index, (value, (text, color)) in enumerate(words.items())
        }
    )


STATUS = mapping(STATUSES)
UP = mapping({1: ("up", "green"), 0: ("down", "red")})


def thresholds(*steps: tuple[float | None, str]) -> builders.ThresholdsConfig:
    """Colours from values on; the first has no value."""
    return (
        builders.ThresholdsConfig()
        .mode(dashboard.ThresholdsMode.ABSOLUTE)
        .steps([dashboard.Threshold(value=value, color=color) for value, color in steps])
    )


def query(expr: str, legend: str = "", instant: bool = False, ref: str = "A") -> prometheus.Dataquery:
    """One query; an instant one is for tables and single numbers."""
    made = prometheus.Dataquery().expr(expr).ref_id(ref).datasource(DATASOURCE).legend_format(legend or "__auto")
    return made.instant() if instant else made.range()


def queries(panel, exprs, instant: bool = False, table: bool = False):
    """`exprs` is one expression, or pairs of expression and legend."""
    pairs = [(exprs, "")] if isinstance(exprs, str) else exprs
    for index, (expr, legend) in enumerate(pairs):
        made = query(expr, legend, instant, chr(ord("A") + index))
        panel = panel.with_target(made.format(PromQueryFormat.TABLE) if table else made)
    return panel


def stat(title: str, description: str, exprs, unit: str = "short", steps=((None, "text"),), width: int = 4, maps=(), names: bool = False):
    """One number, or one a series; with `names` the names of the series are what is said."""
    panel = (
        stat_builders.Panel()
        .title(title)
        .description(description)
        .datasource(DATASOURCE)
        .unit(unit)
        .thresholds(thresholds(*steps))
        .color_mode(common.BigValueColorMode.VALUE)
        .graph_mode(common.BigValueGraphMode.NONE)
        .reduce_options(common_builders.ReduceDataOptions().calcs(["lastNotNull"]))
        .no_value("–")
        .height(4)
        .span(width)
    )
    if maps:
        panel = panel.mappings(list(maps))
    if names:
        panel = panel.text_mode(common.BigValueTextMode.NAME)
    return queries(panel, exprs, instant=True)


def graph(title: str, description: str, exprs, unit: str = "short", width: int = 12, steps=None, stacked: bool = False):
    """Lines over time."""
    panel = (
        timeseries_builders.Panel()
        .title(title)
        .description(description)
        .datasource(DATASOURCE)
        .unit(unit)
        .min(0)
        .line_width(1)
        .fill_opacity(20 if stacked else 0)
        .show_points(common.VisibilityMode.NEVER)
        .tooltip(common_builders.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI).sort(common.SortOrder.DESCENDING))
        .legend(
            common_builders.VizLegendOptions()
            .display_mode(common.LegendDisplayMode.TABLE)
            .placement(common.LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs(["lastNotNull", "max"])
        )
        .height(8)
        .span(width)
    )
    if stacked:
        panel = panel.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL))
    if steps:
        panel = panel.thresholds(thresholds(*steps)).thresholds_style(
            common_builders.GraphThresholdsStyleConfig().mode(common.GraphThresholdsStyleMode.LINE)
        )
    return queries(panel, exprs)


def timeline(title: str, description: str, exprs, maps, width: int = 24, height: int = 6):
    """States over time."""
    panel = (
        statetimeline.Panel()
        .title(title)
        .description(description)
        .datasource(DATASOURCE)
        .mappings(list(maps))
        .show_value(common.VisibilityMode.AUTO)
        .merge_values(True)
        .height(height)
        .span(width)
    )
    return queries(panel, exprs)


class Column:
    """A column of a table: how the label or value is called, in what unit it is, and where a click on it leads."""

    def __init__(self, field: str, name: str, unit: str = "", link: str = "", maps=None):
        self.field, self.name, self.unit, self.link, self.maps = field, name, unit, link, maps

    def properties(self) -> list[dashboard.DynamicConfigValue]:
        made = []
        if self.unit:
            made.append(dashboard.DynamicConfigValue(id_val="unit", value=self.unit))
        if self.link:
            link = {"title": f"Open {self.name.lower()}", "url": self.link, "targetBlank": False}
            made.append(dashboard.DynamicConfigValue(id_val="links", value=[link]))
        if self.maps:
            made.append(dashboard.DynamicConfigValue(id_val="mappings", value=[self.maps]))
            made.append(dashboard.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"}))
        return made


def table(title: str, description: str, exprs: list[str], columns: list[Column], sort: str, width: int = 24, height: int = 10):
    """Instant queries merged by their labels. Columns that are not named are hidden; `Value #A` is the value of the first query."""
    panel = (
        table_builders.Panel()
        .title(title)
        .description(description)
        .datasource(DATASOURCE)
        .filterable(True)
        .sort_by([common_builders.TableSortByFieldState().display_name(sort).desc(True)])
        .height(height)
        .span(width)
        .with_transformation(dashboard.DataTransformerConfig(id_val="merge", options={}))
        .with_transformation(
            dashboard.DataTransformerConfig(
                id_val="organize",
                options={
                    "includeByName": {column.field: True for column in columns},
                    "indexByName": {column.field: index for index, column in enumerate(columns)},
                    "renameByName": {column.field: column.name for column in columns},
                },
            )
        )
    )
    for column in columns:
        if column.properties():
            panel = panel.override_by_name(column.name, column.properties())
    return queries(panel, [(expr, "") for expr in exprs], instant=True, table=True)


def group_link(cluster: str = "Cluster", name: str = "Group") -> str:
    """To the group of a row."""
    return (
        f"/d/tidemark-group?${{datasource:queryparam}}&var-cluster=${{__data.fields.{cluster}:percentencode}}"
        f"&var-group=${{__data.fields.{name}:percentencode}}&${{__url_time_range}}"
    )


def topic_link(cluster: str = "${cluster:queryparam}", name: str = "Topic") -> str:
    """To the topic of a row."""
    return f"/d/tidemark-topic?${{datasource:queryparam}}&{cluster}&var-topic=${{__data.fields.{name}:percentencode}}&${{__url_time_range}}"


def variable(name: str, label: str, values: str, every: bool = False) -> builders.QueryVariable:
    """Values of a label; `every` allows several, and all of them."""
    made = (
        builders.QueryVariable(name)
        .label(label)
        .datasource(DATASOURCE)
        .query({"qryType": 1, "query": values, "refId": name})
        .refresh(dashboard.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(dashboard.VariableSort.NATURAL_ASC)
    )
    return made.multi(True).include_all(True).all_value(".*") if every else made


def cluster(every: bool) -> builders.QueryVariable:
    """The cluster, or the clusters."""
    return variable("cluster", "Cluster", "label_values(tidemark_up, kafka_cluster)", every)


def annotation(name: str, color: str, expr: str) -> builders.AnnotationQuery:
    """Marks on every graph."""
    return builders.AnnotationQuery().name(name).datasource(DATASOURCE).enable(True).icon_color(color).expr(expr)


def board(uid: str, title: str, description: str, variables, annotations=()) -> builders.Dashboard:
    """An empty dashboard with what all have in common."""
    made = (
        builders.Dashboard(title)
        .uid(uid)
        .description(description)
        .tags(["tidemark", "kafka"])
        .timezone("browser")
        .time("now-6h", "now")
        .refresh("30s")
        .tooltip(dashboard.DashboardCursorSync.CROSSHAIR)
        .editable()
        .with_variable(builders.DatasourceVariable("datasource").label("Data source").type("prometheus"))
        .link(
            builders.DashboardLink("tidemark")
            .type(dashboard.DashboardLinkType.DASHBOARDS)
            .tags(["tidemark"])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
    )
    for each in variables:
        made = made.with_variable(each)
    for each in annotations:
        made = made.annotation(each)
    return made


def fill(made: builders.Dashboard, rows) -> builders.Dashboard:
    """Rows of panels: pairs of a title and a list."""
    for title, panels in rows:
        made = made.with_row(builders.Row(title))
        for panel in panels:
            made = made.with_panel(panel)
    return made
