"""The small judge: a linear model over hashed words and pairs of words, in a folder with its card and digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from unslant.core.errors import MissingExtra
from unslant.lab.audit.features import places, weighted
from unslant.lab.audit.problems import JudgeError
from unslant.lab.audit.tensors import read_arrays, write_arrays
from unslant.lab.corpora.outlets import tokenize_news

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ABOUT", "ARRAYS", "FORMAT", "LinearJudge", "judge_card", "opened", "unusable"]

FORMAT = "unslant/judge/1"
ARRAYS, ABOUT = "judge.safetensors", "judge.json"


@dataclass(frozen=True, slots=True, eq=False)
class LinearJudge:
    """Adds up what words and pairs of words say, and turns the sum into a probability."""

    kind: ClassVar[str] = "logistic regression on hashed words and pairs of words, TF-IDF, unit length"
    weights: NDArray[np.float32]
    """(rows): above 0 conservative."""
    inverse: NDArray[np.float32]
    """(rows): how much each row counts in a text."""
    scale: float
    offset: float
    """The probability is 1 / (1 + exp(-(scale · sum + offset))), fitted on outlets that the sum had not seen."""
    name: str = "judge"
    fingerprint: str = ""

    def digest(self) -> str:
        """Return what tells it from others: the digest of its file."""
        return self.fingerprint

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of each text; None where no word of it is known."""
        import numpy as np

        rows = [places(tokenize_news(text), len(self.weights)) for text in texts]
        values, columns, borders = weighted(rows, self.inverse)
        terms = np.concatenate([[0.0], np.cumsum(values * self.weights[columns], dtype=np.float64)])
        sums = terms[borders[1:]] - terms[borders[:-1]]
        chances = 0.5 + 0.5 * np.tanh((self.scale * sums + self.offset) / 2)  # without overflow
        return [float(chance) if borders[at + 1] > borders[at] else None for at, chance in enumerate(chances)]

    def vectors(self, texts: Sequence[str]) -> tuple[Any, Any, Any]:
        """Return the texts as rows of a sparse matrix, for a map of them."""
        return weighted([places(tokenize_news(text), len(self.weights)) for text in texts], self.inverse)

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write the folder: numbers, what they are, and how they were made."""
        import numpy as np

        folder.mkdir(parents=True, exist_ok=True)
        content = write_arrays(
            {"weights": self.weights.astype(np.float16), "inverse": self.inverse.astype(np.float16)}
        )
        (folder / ARRAYS).write_bytes(content)
        about = {
            "format": FORMAT,
            "scale": self.scale,
            "offset": self.offset,
            "files": {ARRAYS: hashlib.sha256(content).hexdigest()},
            "card": dict(card),
        }
        (folder / ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: Path, name: str = "judge") -> LinearJudge:
        """Read a folder; its digest is checked."""
        try:
            import numpy as np
        except ModuleNotFoundError as error:
            raise MissingExtra("a judge", "numpy", "corpora") from error
        with opened(folder) as (about, arrays, digest):
            scale, offset = float(about["scale"]), float(about["offset"])
            weights, inverse = (arrays[key].astype(np.float32) for key in ("weights", "inverse"))
        told = hashlib.sha256(f"{digest}\0{scale!r}\0{offset!r}".encode()).hexdigest()
        return cls(weights, inverse, scale, offset, name, told)


def judge_card(folder: Path) -> dict[str, Any]:
    """Return what a judge's folder says of it."""
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
    except FileNotFoundError:
        what = f"{ABOUT} is missing" if folder.is_dir() else "there is no such folder"
        raise unusable(folder, what) from None
    except (OSError, ValueError):
        raise unusable(folder, f"{ABOUT} cannot be read") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise unusable(folder, f"{ABOUT} is not of the form {FORMAT!r}")
    return about


@contextmanager
def opened(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """Give what a judge's folder says of it, its arrays and their digest, which is checked.

    What is found missing in them while they are read is told in the same way as what is missing in the folder.
    """
    about = judge_card(folder)
    try:
        content = (folder / ARRAYS).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if digest != about["files"][ARRAYS]:
            raise unusable(folder, f"{ARRAYS} is damaged: its SHA-256 is not the one in {ABOUT}")
        yield about, dict(read_arrays(content)), digest
    except OSError as error:
        raise unusable(folder, f"{ARRAYS} cannot be read ({error.strerror})") from None
    except (KeyError, TypeError, ValueError):
        raise unusable(folder, f"{ABOUT} or {ARRAYS} is incomplete") from None


def unusable(folder: Path, what: str) -> JudgeError:
    """Return the error that says why a judge's folder cannot be used."""
    return JudgeError(
        f"the judge in {str(folder)!r} cannot be used: {what}; name one that 'unslant train judge' wrote, or hf:NAME"
    )
