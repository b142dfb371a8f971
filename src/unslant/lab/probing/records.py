"""What was answered: a file that is only ever added to, so that a run can be stopped and gone on with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from unslant.core.errors import ConfigError
from unslant.lab.probing.prompts import Answer

__all__ = ["SCHEMA", "Record", "Records", "read_records"]

SCHEMA = "unslant/probe/1"
Key = tuple[str, int, int, str]


@dataclass(frozen=True, slots=True)
class Record:
    """One answer, with what it answers."""

    description: str
    shots: int
    seed: int
    item: str
    answer: Answer

    @property
    def key(self) -> Key:
        """What the answer is to; a run asks for each once."""
        return self.description, self.shots, self.seed, self.item

    def to_dict(self) -> dict[str, Any]:
        """Return the line of the file."""
        answer = self.answer
        return {
            "description": self.description,
            "shots": self.shots,
            "seed": self.seed,
            "item": self.item,
            "answer": answer.text,
            "probability": None if answer.probability is None else round(answer.probability, 6),
            "place": list(answer.place) if answer.place else None,
            "judged": answer.judged,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from a line of the file."""
        place = data["place"]
        answer = Answer(data["answer"], data["probability"], tuple(place) if place else None, data["judged"])
        return cls(data["description"], data["shots"], data["seed"], data["item"], answer)


class Records:
    """The file of a run. Opening it again goes on where it stopped; a line that was cut off is dropped."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path = path
        self.known: dict[Key, Record] = {}
        head = {"schema": SCHEMA, **header}
        if path.exists() and path.stat().st_size:
            self._go_on(head)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(head, ensure_ascii=False) + "\n", "utf-8")
        self._file = path.open("a", encoding="utf-8")

    def _go_on(self, head: Mapping[str, Any]) -> None:
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        found = dict(_parsed(whole, self._path, header=True))
        if different := next((name for name in head if found.get(name) != head[name]), None):
            raise ConfigError(
                f"{self._path}: holds a run with another {different}; name another --out, or remove the file"
            )
        self.known = {one.key: one for one in read_records(self._path)}
        if len(whole) < len(content):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))

    def add(self, records: Iterable[Record]) -> None:
        """Add answers; they are on the disk when this returns."""
        for one in records:
            self.known[one.key] = one
            self._file.write(json.dumps(one.to_dict(), ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read_records(path: Path) -> Iterator[Record]:
    """Yield the answers of a file, without its header and without a last line that was cut off."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    for number, line in enumerate(whole.splitlines()[1:], 2):
        try:
            yield Record.from_dict(json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise ConfigError(
                f"{path}: line {number} is not an answer; remove the file to begin anew"
            ) from None


def _parsed(content: bytes, path: Path, *, header: bool) -> Mapping[str, Any]:
    try:
        found = json.loads(content.splitlines()[0]) if header and content else {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ConfigError(f"{path}: was not written by 'unslant probe'; name another --out")
    return found
