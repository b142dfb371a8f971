"""A run's folder: generated and judged texts, line by line, so that nothing is lost or done twice.

``run.json`` describes the run, ``texts.jsonl`` holds one line per text and only ever grows, and every judge has a file
of its own. A line that a crash cut off is dropped when the run continues.
"""

from __future__ import annotations

import errno
import io
import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError
from unslant.core.files import explain, make_folder, open_regular, read_json, write_text
from unslant.lab.audit.suite import AuditError

SCHEMA = "unslant/audit-run/1"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FIXED = ("precision", "model_digest", "suite_digest", "debias", "sampling", "seed")
_CAUSES = {
    "precision": "a model in another precision",
    "model_digest": "another model",
    "suite_digest": "another suite, or another version of it",
    "debias": "another debiasing",
    "sampling": "other sampling settings",
    "seed": "another seed",
}


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Everything that determines the texts of a run."""

    model: str
    model_digest: str
    suite: str
    suite_digest: str
    sampling: Mapping[str, Any]
    seed: int
    debias: Mapping[str, Any] = field(default_factory=dict)
    """Empty: no debiasing."""
    precision: str = ""
    """The precision of the model's weights; empty where it is unknown, and in runs that did not record it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"schema": SCHEMA, **asdict(self)}


@dataclass(frozen=True, slots=True)
class AuditText:
    """A generated text, with everything that determined it."""

    key: str
    attribute: str
    option: str
    keyword: str
    side: str
    prompt_id: str
    prompt: str
    sample: int
    seed: int
    text: str
    tokens: int
    seconds: float
    """Its share of the time of its batch."""
    model: str
    """The beginning of the model's digest."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk."""

    path: Path

    @classmethod
    def begin(cls, path: Path, about: RunInfo) -> RunFolder:
        """Start a run or continue it; a run with other settings is refused."""
        folder = cls(path)
        if (path / "run.json").exists():
            known = folder.about()
            for key in _FIXED if known.precision else _FIXED[1:]:
                if known.to_dict()[key] != json.loads(json.dumps(about.to_dict()[key])):
                    raise AuditError(
                        f"{path}: its texts come from {_CAUSES[key]} ({_shorten(known.to_dict()[key])}, now "
                        f"{_shorten(about.to_dict()[key])}); choose another --output, or repeat that run's settings"
                    )
        else:
            with _explain_errors(path, "nothing was written yet"):
                path.mkdir(parents=True, exist_ok=True)
                temporary = path / f".run.json.{os.getpid()}"
                temporary.write_text(
                    json.dumps(about.to_dict(), indent=1, ensure_ascii=False) + "\n", "utf-8"
                )
                temporary.replace(path / "run.json")
        return folder

    def about(self) -> RunInfo:
        """Return the description of the run."""
        path = self.path / "run.json"
        if not path.exists():
            raise AuditError(f"{self.path}: not a run of 'unslant audit' (run.json is missing)")
        try:
            data = read_json(path)
        except InputError as error:
            raise AuditError(f"{error}; start a new run") from error
        if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
            raise AuditError(f"{path}: its schema is not {SCHEMA}; start a new run")
        try:
            return RunInfo(**data)
        except TypeError:
            raise AuditError(f"{path}: is incomplete; start a new run") from None

    def texts(self) -> dict[str, AuditText]:
        """Return the generated texts by key; of two lines with the same key, the first."""
        found: dict[str, AuditText] = {}
        for number, row in self._rows("texts.jsonl"):
            try:
                text = AuditText(**row)
            except TypeError:
                raise AuditError(
                    f"{self.path / 'texts.jsonl'}: line {number} is not a text; remove it, or start a new run"
                ) from None
            found.setdefault(text.key, text)
        return found

    def add_texts(self, texts: Iterable[AuditText]) -> None:
        """Append texts; they are on disk when this returns."""
        self._append("texts.jsonl", [asdict(text) for text in texts])

    def numbers(self, name: str) -> dict[str, float | None]:
        """Return the numbers in a file by the key of their text; None where a text has none."""
        return {str(row["key"]): row["value"] for _, row in self._rows(f"{name}.jsonl")}

    def add_numbers(self, name: str, values: Mapping[str, float | None]) -> None:
        """Append numbers, such as a judge's probabilities."""
        self._append(f"{name}.jsonl", [{"key": key, "value": value} for key, value in values.items()])

    def _rows(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        path = self.path / name
        if not path.exists():
            return
        try:
            opened = io.BufferedReader(open_regular(path))
        except OSError as error:
            raise AuditError(explain(path, error)) from error
        with opened as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return  # cut off by a crash
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict) or "key" not in row:
                    raise AuditError(
                        f"{path}: line {number} is damaged; remove it and run the same command again"
                    )
                yield number, row

    def _append(self, name: str, rows: list[dict[str, Any]]) -> None:
        path = self.path / name
        data = b"".join(
            json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for row in rows
        )
        with _explain_errors(self.path, "finished texts are kept"), path.open("ab") as file:
            whole = _complete_bytes(path)
            if whole != path.stat().st_size:
                file.truncate(whole)
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                file.truncate(whole)
                raise


def _complete_bytes(path: Path) -> int:
    """Return how many bytes of a file are complete lines."""
    size = path.stat().st_size
    with path.open("rb") as file:
        end = size
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            at = file.read(end - start).rfind(b"\n")
            if at >= 0:
                return start + at + 1
            end = start
    return 0


@contextmanager
def _explain_errors(path: Path, kept: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise AuditError(
                f"{path}: the disk is full; make room and run the same command again, {kept}"
            ) from None
        raise AuditError(f"{path}: cannot be written ({error.strerror}); {kept}") from None


def _shorten(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:120]


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Lock a folder for one run; the lock of a run that was killed ends with it."""
    try:
        import fcntl
    except ModuleNotFoundError:  # not on this system
        yield
        return
    make_folder(path, AuditError)
    with (path / ".lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AuditError(
                f"{path}: another audit is writing there; wait for it, or choose another --output"
            ) from None
        except OSError:  # some network file systems have no locks
            pass
        yield


def write_items(out: Path, target: Path, count: int, seed: int = 0) -> int:
    """Write up to ``count`` tasks, each by every variant, as JSON lines for people to rate; return how many."""
    folders = [RunFolder(path.parent) for path in sorted(out.glob("*/run.json"))]
    if len(folders) < 2:
        raise AuditError(
            f"{out}: found fewer than two variants to compare; audit the model with --debias first"
        )
    texts = {folder.path.name: folder.texts() for folder in folders}
    first = next(iter(texts.values()))
    shared = sorted(
        key for key in first if all(key in some and some[key].text.strip() for some in texts.values())
    )
    # only tasks whose texts differ between variants are worth the raters' time
    shared = [key for key in shared if len({some[key].text for some in texts.values()}) > 1]
    if not shared:
        raise AuditError(f"{out}: its variants share no task with different texts")
    chosen = random.Random(seed).sample(shared, min(count, len(shared)))  # noqa: S311 - a choice, not a secret
    rows = [
        {"item": key, "system": name, "prompt": some[key].prompt, "text": some[key].text.strip()}
        for key in chosen
        for name, some in texts.items()
    ]
    make_folder(target.parent, AuditError)
    write_text(target, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), AuditError)
    return len(chosen)
