"""A paper as data: its tables and figures row by row, and the commands that give our figures.

Each paper is a TOML file in ``papers/``. A *step* is a list of ``unslant`` commands, the last of which prints JSON, and
a cell of a table names the figure in that JSON. So a page can always say which command printed a figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from unslant.core.errors import ConfigError, UnknownName
from unslant.core.files import parse_toml
from unslant.lab.detector.recipe import build

PAPERS = ("wikibias", "babe", "liu", "bauer")
_SLOTS = ("data", "encoder", "model", "out", "precision", "resamples", "runs", "seed", "size")


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """A figure as the paper prints it."""

    value: float
    error: float | None = None
    """The deviation or error that the paper gives with it."""


@dataclass(frozen=True, slots=True)
class Step:
    """Commands that produce figures. ``{seed}`` in a command repeats it for every seed."""

    commands: tuple[str, ...]
    """What to type after ``unslant``, in order; the last command prints JSON."""
    minutes: float = 1.0
    """How long it takes on one core with a small model."""
    encoder: str = ""
    """The encoder or language model of the paper, if ``--encoder`` or ``--model`` replaces it."""
    size: str = ""
    """The options that set the size of the run, in place of ``{size}``."""
    small: str = ""
    """The same for a run on a small sample; empty: the full size."""
    small_minutes: float = 0.0
    """How long the small sample takes; 0: as long as the full size."""
    quick: str = ""
    """The same for a quick run."""
    pictures: tuple[str, ...] = ()
    """Drawings that the commands write below ``{out}/pictures``."""

    def __post_init__(self) -> None:
        if not self.commands:
            raise ValueError("a step needs commands")


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of a table."""

    name: str
    published: tuple[PublishedValue | None, ...] = ()
    """One value per column; None where the paper gives none."""
    step: str = ""
    figures: tuple[str, ...] = ()
    """Where each column's figure is in the JSON of the step; empty: as the table says."""
    why: str = ""
    """Why ours differs from the published one, beyond what the table says."""
    absent: str = ""
    """Why there is no figure of ours."""
    blank: str = ""
    """Why columns without a place in ``figures`` have no figure of ours."""
    scale: float = 0.0
    """The factor that converts our figures of this row to the paper's unit; 0: as the table says."""
    repeats: bool = False
    """Whether the published figures also stand in another row, where they are counted."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table or figure of a paper, or figures that its text gives."""

    id: str
    """How the paper numbers it, such as ``table-5``, ``figure-4`` or ``section-2.1``."""
    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[PaperRow, ...] = ()
    scale: float = 1.0
    """The factor that converts our figures to the paper's unit."""
    digits: int = 1
    same_scale: bool = True
    """Whether our figures are on the paper's scale; if not, no difference is shown."""
    why: str = ""
    """Why all of our figures differ."""
    absent: str = ""
    """Why none of it is reproduced."""
    pictures: str = ""
    """The step whose drawings belong to it."""
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The number as people write it: ``Table 5``."""
        kind, _, number = self.id.partition("-")
        return f"{kind.capitalize()} {number}"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper with all of its tables and figures."""

    name: str
    title: str
    citation: str
    about: str
    tables: tuple[PaperTable, ...]
    steps: Mapping[str, Step] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    """Three sentences: what the paper claims, what we see, and where we differ and why."""

    def select(self, ids: Sequence[str]) -> Paper:
        """Return the paper with only some of its tables, by id or number."""
        if not ids:
            return self
        known = {table.id: table for table in self.tables}
        chosen = []
        for name in ids:
            found = known.get(name) or known.get(f"table-{name}")
            if found is None:
                raise UnknownName(f"table of {self.name}", name, known)
            chosen.append(found)
        return replace(self, tables=tuple(dict.fromkeys(chosen)))

    def required_steps(self) -> list[str]:
        """Return the steps that the rows and pictures need, in the order of the file."""
        wanted = {row.step for table in self.tables for row in table.rows if row.step}
        wanted |= {table.pictures for table in self.tables if table.pictures}
        return [name for name in self.steps if name in wanted]


def read_paper(name: str) -> Paper:
    """Return a paper by its short name."""
    if name not in PAPERS:
        raise UnknownName("paper", name, PAPERS)
    text = files("unslant.lab.reproduce").joinpath("papers", f"{name}.toml").read_text("utf-8")
    table = parse_toml(text, name, ConfigError)
    templates = table.pop("templates", {})
    steps = {key: _step(value, templates, f"{name}: {key}") for key, value in table.pop("steps", {}).items()}
    tables = tuple(_table(entry, f"{name}: {entry.get('id', 'table')}") for entry in table.pop("tables"))
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    paper = Paper(name=name, tables=tables, steps=steps, **given)
    _check(paper)
    return paper


def _step(table: Mapping[str, Any], templates: Mapping[str, Sequence[str]], where: str) -> Step:
    """Build a step; ``use`` names a template, whose other slots are filled with the other keys of the table."""
    values = dict(table)
    if "use" in values:
        own = ("minutes", "encoder", "size", "small", "small_minutes", "quick", "pictures")
        filled = {key: str(values.pop(key)) for key in list(values) if key not in (*own, "use")}
        kept = {slot: f"{{{slot}}}" for slot in _SLOTS}
        values["commands"] = [line.format(**kept, **filled) for line in templates[values.pop("use")]]
    return build(Step, values, where)


def _table(entry: Mapping[str, Any], where: str) -> PaperTable:
    figures = tuple(entry.get("figures", ()))
    rows = [*entry.get("rows", ())]
    if "from" in entry:
        rows += _published_rows(entry["from"])
    built = tuple(_row(row, figures, entry.get("step", ""), where) for row in rows)
    plain = {key: value for key, value in entry.items() if key not in ("rows", "figures", "step", "from")}
    return replace(build(PaperTable, plain, where), rows=built)


def _row(row: Mapping[str, Any], figures: tuple[str, ...], step: str, where: str) -> PaperRow:
    values = dict(row)
    within = values.pop("within", "")
    published = tuple(_published(value, where) for value in values.pop("published", ()))
    found = build(PaperRow, values, f"{where}: {values.get('name', 'row')}")
    own = found.step or ("" if found.absent else step)
    places = found.figures or (figures if own else ())
    if within:
        places = tuple(f"{within}/{place}" for place in places)
    return replace(found, published=published, step=own, figures=places)


def _published(value: Any, where: str) -> PublishedValue | None:
    """Read ``65.2``, ``"42.1 ± 0.8"``, or ``""`` where the paper gives nothing."""
    if value == "":
        return None
    try:
        number, _, error = str(value).partition("±")
        return PublishedValue(float(number), float(error) if error else None)
    except ValueError:
        raise ConfigError(f"{where}: {value!r} is not a figure such as 65.2 or '42.1 ± 0.8'") from None


def _published_rows(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a table whose published figures are kept with the probing tasks, one per class and metric.

    ``absent`` gives the reason for metrics that cannot be measured, such as dimensions without a text.
    """
    from unslant.lab.probing.results import published

    task, sampling = source["task"], source.get("sampling", "random")
    found = published(task, sampling, source.get("decoding", "span"))
    rows = []
    for family in source["classes"]:
        for metric, by_shots in found[family].items():
            place = f"by_dimension/{metric}" if task == "identification" else f"metrics/{metric}"
            shots = [number for number in source["shots"] if str(number) in by_shots]
            row: dict[str, Any] = {
                "name": f"{family}, {metric}",
                "published": [" ± ".join(map(str, by_shots[str(number)])) for number in shots],
            }
            if reason := source.get("absent", {}).get(metric):
                row["absent"] = reason
            else:
                row["figures"] = [f"0/cells/class={family}&shots={number}/{place}" for number in shots]
            rows.append(row)
    return rows


def _check(paper: Paper) -> None:
    """Raise :class:`ConfigError` where a row names an unknown step, has more values than columns, or a blank cell."""
    if len(paper.summary) != 3:
        raise ConfigError(
            f"{paper.name}: summary needs three sentences: the claim, what we see, the difference"
        )
    for table in paper.tables:
        for row in table.rows:
            where = f"{paper.name}: {table.id}: {row.name}"
            if row.step and row.step not in paper.steps:
                raise ConfigError(f"{where}: there is no step {row.step!r}")
            if bool(row.step) == bool(row.absent):
                raise ConfigError(f"{where}: a row has either a step or a reason why it is absent")
            if len(row.published) > len(table.columns) or len(row.figures) > len(table.columns):
                raise ConfigError(f"{where}: more values than columns")
            places = (*row.figures, *[""] * len(row.published))
            open_ = any(value and not place for value, place in zip(row.published, places, strict=False))
            if row.step and not row.blank and open_:
                raise ConfigError(
                    f"{where}: a published figure has neither a figure of ours nor a reason in 'blank'"
                )
        if not table.rows and not table.absent and not table.pictures:
            raise ConfigError(f"{paper.name}: {table.id}: no rows, no picture, and no reason")
