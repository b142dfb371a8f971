"""Scoring whole tables in parts, each kept on disk, so that a run that was stopped goes on where it was.

A part holds the records of a fixed range of rows. How the rows are cut depends on the input alone, and the output is
written from the parts, so a run that was killed and resumed, on any engine, writes the same bytes.

Scores are written as Parquet, CSV, TSV and JSON lines: the same bytes for the same records.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.files import temporary_beside, write_atomic
from unslant.parallel import Engine, Work, run
from unslant.report.table import guard_formula
from unslant.spec import Spec
from unslant.tables.scoring import Record, ScoreRows, ScoreSpec, columns
from unslant.tables.sources import Row, TableColumns, check_columns, parts_folder, read_rows
from unslant.version import VERSION
from unslant.workspace.cache import model_identity

SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl")
"""The suffixes of the output; each names its format."""

Batches = Iterable[list[Record]]


def check_output(path: Path) -> None:
    """Raise ``ConfigError`` if the output cannot be written there."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--output {str(path)!r}: the suffix must be one of {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise ConfigError(f"--output {str(path)!r}: the folder {str(path.parent)!r} does not exist")
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def write_records(
    path: Path, batches: Batches, columns: Mapping[str, str], folder: Path | None = None
) -> None:
    """Write all records to a file, batch by batch; the suffix decides the format.

    The file grows in ``folder``, on the same file system, and is then moved; otherwise it grows beside ``path``.
    """
    part = temporary_beside((folder or path.parent) / path.name)
    try:
        part.touch(exist_ok=False)  # where somebody has laid a link, writing would follow it
        _write(part, path.suffix.lower(), batches, columns)
        part.replace(path)
    except OSError as error:
        raise ConfigError(f"--output {str(path)!r} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _write(part: Path, suffix: str, batches: Batches, columns: Mapping[str, str]) -> None:
    if suffix == ".parquet":
        _write_parquet(part, batches, columns)
        return
    with part.open("w", encoding="utf-8", newline="") as stream:
        if suffix == ".jsonl":
            for batch in batches:
                stream.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in batch)
            return
        delimiter = "\t" if suffix == ".tsv" else ","
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        # the module does not quote a lone carriage return, at which readers would begin another row
        quoting = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        for record in chain.from_iterable(batches):
            row = [_cell(record[name]) for name in columns]
            split = any(isinstance(value, str) and "\r" in value for value in row)
            (quoting if split else writer).writerow(row)


def _cell(value: object) -> object:
    return guard_formula(value) if isinstance(value, str) else value


def _write_parquet(part: Path, batches: Batches, columns: Mapping[str, str]) -> None:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    types = {"str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        for batch in batches:
            if batch:
                writer.write_table(pyarrow.Table.from_pylist(batch, schema))


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise MissingExtra("writing Parquet", "pyarrow", "tables") from error
    return pyarrow


_PART_ROWS = 1_000
_PART_LENGTH = 2_000_000
"""The rows of a part have at most about this many code points."""

Progress = Callable[[int, int], None]
"""Called with the number of bytes done so far, of all inputs, and the number of rows."""


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """What to score, and where to write the scores."""

    inputs: tuple[Path, ...]
    columns: TableColumns
    output: Path
    what: ScoreSpec
    engine: Engine = field(default_factory=Engine)
    restart: bool = False
    """Whether to throw away what an earlier run left."""
    watch: Callable[[list[Record]], None] | None = None
    """Called with all records, part by part and in order, as they are written."""


@dataclass(slots=True)
class ScoreSummary:
    """What a run did."""

    rows: int = 0
    errors: int = 0
    """Rows that could not be scored."""
    findings: int = 0
    resumed: int = 0
    """Rows that an earlier run had scored."""
    id_type: str = field(default="int", compare=False)
    """``int`` if every row that has an id has a number, otherwise ``str``."""


def score_tables(job: ScoreJob, progress: Progress | None = None) -> ScoreSummary:
    """Score all rows of all inputs and write the output."""
    check_output(job.output)
    for path in job.inputs:
        check_columns(path, job.columns)
    parts = _Parts(job)
    summary = ScoreSummary()
    _score_missing(job, parts, summary, progress or (lambda _, __: None))
    if job.columns.id is None:
        summary.id_type = "str"
    written = {**columns(job.what.findings, job.what.fix), "id": summary.id_type}
    # what a run that is killed leaves in the folder of parts goes with them
    write_records(job.output, _watched(parts.read(summary), job.watch), written, parts_folder(job.output))
    parts.remove()
    return summary


def _watched(batches: Batches, watch: Callable[[list[Record]], None] | None) -> Batches:
    for batch in batches:
        if watch is not None:
            watch(batch)
        yield batch


class _Parts:
    """The parts of a run, in a folder beside the output."""

    def __init__(self, job: ScoreJob) -> None:
        self._folder = parts_folder(job.output)
        self._findings = job.what.findings
        plan = _plan(job)
        file = self._folder / "plan.json"
        if job.restart:
            shutil.rmtree(self._folder, ignore_errors=True)
        if file.is_file() and file.read_bytes() != plan:
            raise ConfigError(
                f"{str(self._folder)!r} holds parts of a run with other inputs or settings; "
                "repeat that command to finish it, or add --restart to discard them"
            )
        try:
            self._folder.mkdir(exist_ok=True)
            write_atomic(file, plan)
        except OSError as error:
            raise ConfigError(f"{str(self._folder)!r} cannot be written: {error.strerror}") from error

    def has(self, number: int) -> bool:
        """Return whether an earlier run finished this part."""
        return self._path(number).is_file()

    def write(self, number: int, records: Sequence[dict[str, Any]]) -> None:
        """Keep the records of a part, in one step: a part is there as a whole or not at all."""
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        write_atomic(self._path(number), lines.encode())

    def read(self, summary: ScoreSummary) -> Iterator[list[dict[str, Any]]]:
        """Yield the records of each part, in order, and count them."""
        number = 0
        while self.has(number):
            with self._path(number).open(encoding="utf-8") as stream:
                records = [json.loads(line) for line in stream]
            if summary.id_type == "str":
                for record in records:
                    record["id"] = None if record["id"] is None else str(record["id"])
            failed = sum(record["error"] is not None for record in records)
            summary.errors += failed
            summary.findings += (
                len(records) - failed
                if self._findings
                else sum(record["findings"] or 0 for record in records)
            )
            yield records
            number += 1

    def remove(self) -> None:
        """Remove the parts; the output holds everything."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self._folder / f"part-{number:06}.jsonl"


def _plan(job: ScoreJob) -> bytes:
    """Return everything that the parts depend on."""
    inputs = [(path.as_posix(), path.stat().st_size, path.stat().st_mtime_ns) for path in job.inputs]
    spec = job.what.spec
    plan = {
        "version": VERSION,
        "inputs": inputs,
        "columns": asdict(job.columns),
        "spec": spec.digest(),
        "model": hashlib.sha256(model_identity(spec).encode()).hexdigest(),
        "format": job.what.format,
        "findings": job.what.findings,
        "fix": job.what.fix,
        "unsafe": job.what.unsafe,
    }
    return json.dumps(plan, indent=1, sort_keys=True).encode()


def _score_missing(job: ScoreJob, parts: _Parts, summary: ScoreSummary, progress: Progress) -> None:
    """Score the parts that are not on disk, and keep each as soon as it is done."""
    cuts: dict[int, tuple[int, int]] = {}

    def missing() -> Iterator[tuple[int, list[Row]]]:
        for number, (rows, position) in enumerate(_cut(job)):
            if any(isinstance(row.id, str) for row in rows):
                summary.id_type = "str"
            if parts.has(number):
                summary.rows += len(rows)
                summary.resumed += len(rows)
                progress(position, summary.rows)
            else:
                cuts[number] = len(rows), position
                yield number, rows

    work = Work(
        partial(ScoreRows, job.what),
        partial(_identity, job.what.spec),
        again="repeat the command with --jobs 1 to continue",
    )
    for number, records in run(job.engine, work, missing()):
        parts.write(number, records)
        size, position = cuts.pop(number)
        summary.rows += size
        progress(position, summary.rows)


def _identity(spec: Spec) -> tuple[str, ...]:
    return VERSION, model_identity(spec)


def _cut(job: ScoreJob) -> Iterator[tuple[list[Row], int]]:
    """Yield the rows of all inputs in batches that depend on the input alone, each with the bytes read so far."""
    rows: list[Row] = []
    length = before = at = 0

    def note_position(position: int) -> None:
        nonlocal at
        at = position

    for path in job.inputs:
        for row in read_rows(path, job.columns, note_position):
            rows.append(row)
            length += len(row.text)
            if len(rows) >= _PART_ROWS or length >= _PART_LENGTH:
                yield rows, before + at
                rows, length = [], 0
        before += path.stat().st_size
        at = 0
    if rows:
        yield rows, before
