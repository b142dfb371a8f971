"""What a judge is, how it is opened by name, and the folder that a trained judge is saved in.

``default`` is the judge that ships, a folder is one that ``unslant train judge`` wrote, and ``hf:NAME`` any classifier
on the Hugging Face hub. A judge's probability for one text is weak evidence; for many texts it is a distribution.

Names of the political sides can be hidden. Outlets write about their opponents, so a judge that reads names learns that
*Democrats* is a word of the right, and a text that only names a side looks like one of the other side. Both sides'
names become the same placeholder, which shows that a side is named but not which one.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from unslant.core.errors import InputError
from unslant.core.files import make_folder, read_bytes, read_json
from unslant.lab.published import published

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FORMAT = "unslant/judge/1"
_ARRAYS, _CARD = "judge.safetensors", "judge.json"
_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I64": "<i8"}
_HEADER_LIMIT = 1 << 20
"""The longest header that is read, in bytes."""


class JudgeError(InputError):
    """A judge cannot be used, or returns something that is not a probability."""


@runtime_checkable
class Judge(Protocol):
    """Estimates how likely each text is conservative."""

    @property
    def name(self) -> str:
        """The name that the user gave."""
        ...

    def digest(self) -> str:
        """Return a digest that differs between judges that judge differently."""
        ...

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return one probability per text, in order; None for a text without evidence."""
        ...


@runtime_checkable
class EmbeddingJudge(Judge, Protocol):
    """A judge that can show the space in which it tells the sides apart."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors that its final layer classifies, (texts, width)."""
        ...


def judge_folder(name: str) -> Path | None:
    """Return the folder of a judge with this name; None for a judge of the hub."""
    if name.startswith("hf:"):
        return None
    return Path(__file__).with_name("weights") if name == "default" else Path(name)


def open_judge(name: str = "default") -> Judge:
    """Return a judge by its name."""
    if name.startswith("hf:"):
        from unslant.lab.judges.huggingface import HuggingFaceJudge

        return HuggingFaceJudge(name.removeprefix("hf:"))
    from unslant.lab.judges.linear import LinearJudge

    if name == "default":
        return LinearJudge.load(Path(__file__).with_name("weights"), name)
    card = _read_card(Path(name))
    if "recurrent" in card:
        recurrent: Judge = published("recurrent judge").RecurrentJudge.load(Path(name), name)
        return recurrent
    if "issues" in card:
        raise unusable_folder(Path(name), "it judges stances, for 'unslant audit stance'")
    if "questions" in card:
        raise unusable_folder(Path(name), "it judges coverage, for 'unslant audit coverage'")
    if "encoder" in card:
        from unslant.lab.judges.encoder import EncoderJudge

        return EncoderJudge.load(Path(name), name)
    return LinearJudge.load(Path(name), name)


def judge_texts(judge: Judge, texts: Sequence[str]) -> list[float | None]:
    """Return a judge's probabilities; anything else that it returns is an error."""
    values = judge.judge(texts)
    if len(values) != len(texts):
        raise JudgeError(f"the judge {judge.name!r} gave {len(values)} answers for {len(texts)} texts")
    for value in values:
        if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
            raise JudgeError(
                f"the judge {judge.name!r} gave {value} where a probability was expected; choose another one with "
                "--judge"
            )
    return values


_MAX_BYTES = 4 << 30


def save_folder(
    folder: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any], card: Mapping[str, Any]
) -> None:
    """Write a judge's folder: its arrays, its other parameters, and the card that says how it was made."""
    make_folder(folder)
    content = write_arrays(arrays)
    (folder / _ARRAYS).write_bytes(content)
    files = {_ARRAYS: hashlib.sha256(content).hexdigest()}
    whole = {"format": _FORMAT, **about, "files": files, "card": dict(card)}
    (folder / _CARD).write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


@contextmanager
def open_folder(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """Give the parameters in a judge's folder, its arrays, and their digest, which is checked.

    A missing parameter is reported like a missing file.
    """
    about = _read_card(folder)
    try:
        content = read_bytes(folder / _ARRAYS, max_bytes=_MAX_BYTES)
        digest = hashlib.sha256(content).hexdigest()
        if digest != about["files"][_ARRAYS]:
            raise unusable_folder(folder, f"{_ARRAYS} is damaged: its SHA-256 is not the one in {_CARD}")
        yield about, read_arrays(content), digest
    except JudgeError:
        raise
    except InputError as error:
        missing = isinstance(error.__cause__, FileNotFoundError)
        raise unusable_folder(folder, f"{_ARRAYS} is missing" if missing else str(error)) from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise unusable_folder(folder, f"{_CARD} or {_ARRAYS} is incomplete") from None


def _read_card(folder: Path) -> dict[str, Any]:
    try:
        about = read_json(folder / _CARD)
    except InputError as error:
        problem = f"{_CARD} cannot be read"
        if isinstance(error.__cause__, FileNotFoundError):
            problem = f"{_CARD} is missing" if folder.is_dir() else "there is no such folder"
        raise unusable_folder(folder, problem) from None
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise unusable_folder(folder, f"{_CARD} does not have the format {_FORMAT!r}")
    return about


def unusable_folder(folder: Path, problem: str) -> JudgeError:
    """Return the error for a judge's folder that cannot be used."""
    return JudgeError(
        f"the judge in {str(folder)!r} cannot be used: {problem}; name a folder that 'unslant train judge' wrote, or "
        "hf:NAME"
    )


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the content of a safetensors file."""
    import numpy as np

    names = {np.dtype(form): name for name, form in _TYPES.items()}
    header: dict[str, Any] = {}
    body = b""
    for name, array in sorted(arrays.items()):
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + body


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file; a malformed one is a ``ValueError``.

    Reading it here keeps the default judge free of the safetensors package, which comes with the extra ``lm``.
    """
    import numpy as np

    if len(content) < 8:
        raise ValueError("too short")
    (length,) = struct.unpack("<Q", content[:8])
    if length > min(_HEADER_LIMIT, len(content) - 8):
        raise ValueError("the header does not fit")
    header = json.loads(content[8 : 8 + length])
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    body = memoryview(content)[8 + length :]
    found: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            start, end = entry["data_offsets"]
            form, shape = _TYPES[entry["dtype"]], tuple(int(size) for size in entry["shape"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"the entry {name!r} is incomplete") from error
        if not 0 <= start <= end <= len(body):
            raise ValueError(f"the array {name!r} lies outside the file")
        found[name] = np.frombuffer(body[start:end], dtype=form).reshape(shape)
    return found


PLACEHOLDER = "someside"
"""Replaces the names of both sides; no text contains this word."""

_NAMES = frozenset(
    "democrat democrats democratic dem dems republican republicans gop rino rinos "
    "liberal liberals liberalism conservative conservatives conservatism "
    "progressive progressives progressivism leftist leftists rightist rightists "
    "leftwing rightwing lefty lefties righty righties "
    "socialist socialists nationalist nationalists libertarian libertarians".split()
)
"""Words that name a side wherever they stand, both sides alike; persons are not among them."""
_FORMS = frozenset(f"{name}{ending}" for name in _NAMES for ending in ("", "'s"))
_TEXT = re.compile(
    r"\b(?:(?:far|alt|hard)[- ])?(?:left|right)[- ]wing(?:ers?)?\b"
    r"|\b(?:the|far|alt|hard)[- ](?:left|right)(?=['\u2019.,;:!? ]|$)"
    rf"|\b(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_SIDES = frozenset(("left", "right", "left's", "right's"))
_BEFORE = frozenset(("the", "far", "alt", "hard"))
_AFTER = frozenset(("wing", "winger", "wingers"))


def mask_words(words: Sequence[str]) -> list[str]:
    """Return words in lower case with the names of sides replaced, including *the left* and *right wing*."""
    found = [PLACEHOLDER if word in _FORMS else word for word in words]
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if word in _SIDES and (before in _BEFORE or after in _AFTER):
            found[at] = PLACEHOLDER
    return found


def mask_sides(text: str) -> str:
    """Return a text with the names of sides replaced, for a model that reads case and punctuation."""
    return _TEXT.sub(PLACEHOLDER, text)
