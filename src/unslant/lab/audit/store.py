"""A run's folder: what was generated and judged, line by line, so that nothing is lost and nothing done twice.

``run.json`` says what the texts are, ``texts.jsonl`` holds one line a text and only ever grows, and every judge has a
file of its own. A line that was cut off by a crash is dropped when the run goes on.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from unslant.lab.audit.problems import AuditError

__all__ = ["SCHEMA", "About", "RunFolder", "Text", "alone"]

SCHEMA = "unslant/audit-run/1"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FIXED = ("precision", "model_digest", "suite_digest", "debias", "sampling", "seed")
_SAID = {
    "precision": "a model in another precision",
    "model_digest": "another model",
    "suite_digest": "another suite, or another version of it",
    "debias": "another debiasing",
    "sampling": "other ways of sampling",
    "seed": "another seed",
}


@dataclass(frozen=True, slots=True)
class About:
    """What decides the texts of a run."""

    model: str
    model_digest: str
    suite: str
    suite_digest: str
    sampling: Mapping[str, Any]
    seed: int
    debias: Mapping[str, Any] = field(default_factory=dict)
    """Empty: the model as it is."""
    precision: str = ""
    """Of the model's numbers; empty where they cannot be seen, and in runs that did not note it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"schema": SCHEMA, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was generated, with all that decided it."""

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
    """Its share of the time that its batch took."""
    model: str
    """The beginning of the model's digest."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run on the disk."""

    path: Path

    @classmethod
    def begin(cls, path: Path, about: About) -> RunFolder:
        """Open a run to go on with it, or start it; one that was written under other conditions is refused."""
        folder = cls(path)
        if (path / "run.json").exists():
            known = folder.about()
            for key in _FIXED if known.precision else _FIXED[1:]:
                if known.to_dict()[key] != json.loads(json.dumps(about.to_dict()[key])):
                    raise AuditError(
                        f"{path}: its texts come from {_SAID[key]} ({_shown(known.to_dict()[key])}, now "
                        f"{_shown(about.to_dict()[key])}); choose another --output, or repeat the settings of that run"
                    )
        else:
            with _told(path, "nothing was written yet"):
                path.mkdir(parents=True, exist_ok=True)
                temporary = path / f".run.json.{os.getpid()}"
                temporary.write_text(
                    json.dumps(about.to_dict(), indent=1, ensure_ascii=False) + "\n", "utf-8"
                )
                temporary.replace(path / "run.json")
        return folder

    def about(self) -> About:
        """Return what the texts are."""
        path = self.path / "run.json"
        try:
            data = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise AuditError(f"{self.path}: not a run of 'unslant audit' (run.json is missing)") from None
        except (OSError, ValueError) as error:
            raise AuditError(f"{path}: cannot be read ({type(error).__name__}); start a new run") from None
        if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA:
            raise AuditError(f"{path}: not of the form {SCHEMA}; start a new run")
        try:
            return About(**data)
        except TypeError:
            raise AuditError(f"{path}: is incomplete; start a new run") from None

    def texts(self) -> dict[str, Text]:
        """Return what has been generated, by key; of two lines with one key, the first."""
        found: dict[str, Text] = {}
        for number, row in self._rows("texts.jsonl"):
            try:
                one = Text(**row)
            except TypeError:
                raise AuditError(
                    f"{self.path / 'texts.jsonl'}: line {number} is no text of a run; take it out, or start a new run"
                ) from None
            found.setdefault(one.key, one)
        return found

    def add_texts(self, texts: Iterable[Text]) -> None:
        """Append texts; they are on the disk when this returns."""
        self._append("texts.jsonl", [asdict(one) for one in texts])

    def numbers(self, name: str) -> dict[str, float | None]:
        """Return the numbers of a file, by the key of the text they belong to; None where there is none to be had."""
        return {str(row["key"]): row["value"] for _, row in self._rows(f"{name}.jsonl")}

    def add_numbers(self, name: str, values: Mapping[str, float | None]) -> None:
        """Append numbers, such as judgements."""
        self._append(f"{name}.jsonl", [{"key": key, "value": value} for key, value in values.items()])

    def _rows(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        path = self.path / name
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return  # cut off: it was never finished
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                if not isinstance(row, dict) or "key" not in row:
                    raise AuditError(
                        f"{path}: line {number} is damaged; take it out and run the same command again"
                    )
                yield number, row

    def _append(self, name: str, rows: list[dict[str, Any]]) -> None:
        path = self.path / name
        data = b"".join(
            json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for row in rows
        )
        with _told(self.path, "what was finished is kept"), path.open("ab") as file:
            whole = _whole(path)
            if whole != path.stat().st_size:
                file.truncate(whole)
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                file.truncate(whole)
                raise


def _whole(path: Path) -> int:
    """Return how many bytes of a file are finished lines."""
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
def _told(path: Path, kept: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise AuditError(
                f"{path}: the disk is full; make room and run the same command again, {kept}"
            ) from None
        raise AuditError(f"{path}: cannot be written ({error.strerror}); {kept}") from None


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:120]


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a folder for one run; the hold of a run that was killed ends with it."""
    try:
        import fcntl
    except ModuleNotFoundError:  # only where there is no such lock at all
        yield
        return
    path.mkdir(parents=True, exist_ok=True)
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
