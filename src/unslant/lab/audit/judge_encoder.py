"""A judge that reads meaning, not words: a linear head on the vectors of a frozen encoder.

Its folder holds the head alone. The encoder is named in it and loaded when it is needed (extra ``lm``); its digest is
checked, since a head on other vectors would say anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from unslant.lab.audit.judge_linear import ABOUT, ARRAYS, FORMAT, opened, unusable
from unslant.lab.audit.sentence_vectors import SentenceEncoder
from unslant.lab.audit.tensors import write_arrays
from unslant.lab.corpora.outlets import TOKENS, strip_outlet_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EncoderJudge", "prepared"]


def prepared(text: str, outlet: str = "") -> str:
    """Return what an encoder is given of a text: its first words, without names of the press."""
    return " ".join(strip_outlet_names(text, outlet).split()[:TOKENS])


@dataclass(frozen=True, slots=True, eq=False)
class EncoderJudge:
    """Turns a vector into a probability: 1 / (1 + exp(-(vector · weights + offset)))."""

    kind: ClassVar[str] = "logistic regression on the mean of a frozen encoder's last states, unit length"
    encoder: SentenceEncoder
    weights: NDArray[np.float32]
    """(width): above 0 conservative."""
    offset: float
    name: str = "judge"
    fingerprint: str = ""

    def digest(self) -> str:
        """Return what tells it from others: the digest of head and encoder."""
        return self.fingerprint

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of each text; None for one without a word."""
        import numpy as np

        bare = [prepared(text) for text in texts]
        places = [at for at, text in enumerate(bare) if any(map(str.isalnum, text))]
        found: list[float | None] = [None] * len(texts)
        if places:
            sums = self.encoder.vectors([bare[at] for at in places]) @ self.weights + self.offset
            chances = 0.5 + 0.5 * np.tanh(sums.astype(np.float64) / 2)
            for at, chance in zip(places, chances, strict=True):
                found[at] = float(chance)
        return found

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write the folder: the head, which encoder it belongs to, and how it was made."""
        import numpy as np

        folder.mkdir(parents=True, exist_ok=True)
        content = write_arrays({"weights": self.weights.astype(np.float32)})
        (folder / ARRAYS).write_bytes(content)
        about = {
            "format": FORMAT,
            "encoder": {"name": self.encoder.name, "digest": self.encoder.digest()},
            "offset": self.offset,
            "files": {ARRAYS: hashlib.sha256(content).hexdigest()},
            "card": dict(card),
        }
        (folder / ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: Path, name: str = "judge") -> EncoderJudge:
        """Read a folder and the encoder that it names; the digests of both are checked."""
        with opened(folder) as (about, arrays, digest):
            weights, offset = arrays["weights"], float(about["offset"])
            source, wanted = str(about["encoder"]["name"]), str(about["encoder"]["digest"])
        encoder = SentenceEncoder(source)
        if encoder.digest() != wanted or weights.shape != (encoder.width,):
            raise unusable(folder, f"the encoder {source!r} is not the one that it was trained on")
        told = hashlib.sha256(f"{digest}\0{offset!r}\0{wanted}".encode()).hexdigest()
        return cls(encoder, weights, offset, name, told)
