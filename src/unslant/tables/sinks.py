"""Writing scores: Parquet, CSV, TSV and JSON lines, the same bytes for the same records."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.report.table import guard_formula

__all__ = ["SUFFIXES", "check_output", "write_records"]

SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl")
"""The suffixes of the output; each names its format."""

Batches = Iterable[list[dict[str, Any]]]


def check_output(path: Path) -> None:
    """Raise ``ConfigError`` if the output cannot be written there."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--output {str(path)!r}: the suffix must be one of {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise ConfigError(f"--output {str(path)!r}: the folder {str(path.parent)!r} does not exist")
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def write_records(path: Path, batches: Batches, columns: Mapping[str, str]) -> None:
    """Write all records to a file, batch by batch; the suffix decides the format."""
    part = path.with_name(f".{path.name}.tmp")
    try:
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
        writer = csv.writer(stream, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow(columns)
        for batch in batches:
            writer.writerows([_cell(record[name]) for name in columns] for record in batch)


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
