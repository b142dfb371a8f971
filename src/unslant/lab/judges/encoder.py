"""A judge with an encoder: logistic regression on sentence vectors.

Its folder holds the head, and the encoder if that was tuned for it. Any other encoder is named there and loaded when it
is needed (extra ``lm``); its digest is checked, because a head on other vectors would return noise.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from unslant.core.example import Example
from unslant.lab.corpora.outlets import TOKENS, strip_outlet_names
from unslant.lab.judges.fitting import Articles, JudgeSettings, TrainedJudge, choose_penalty, fit_logistic
from unslant.lab.judges.judge import JudgeError, mask_sides, open_folder, save_folder, unusable_folder
from unslant.neural.hub import transformers_to_load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

_BATCH = 64
_OWN = "encoder"
"""The folder of an encoder that was tuned for the judge, inside the judge's own."""
_MAX_SUBWORDS = 128
"""The maximum number of subwords; a hundred words of news, or a generated text, have no more."""
_SETTINGS = JudgeSettings(penalties=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2))
"""Unit vectors of a few hundred dimensions need other penalties than a quarter of a million words."""


class SentenceEncoder:
    """A frozen transformers encoder, from the hub or a folder: the mean of its last states, of unit length."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.model: Any
        with transformers_to_load(
            name, "encoder", "a judge with an encoder", "lm", JudgeError
        ) as transformers:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            self.model, about = transformers.AutoModel.from_pretrained(
                name,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=importlib.import_module("torch").float32,
                output_loading_info=True,
            )
        self._torch: Any = importlib.import_module("torch")
        self.model.eval()
        # layers that the files lack, such as an unused pooler, have random weights
        self._random = frozenset(about["missing_keys"])

    @cached_property
    def width(self) -> int:
        """The number of dimensions."""
        return int(self.model.config.hidden_size)

    @cached_property
    def digest(self) -> str:
        """The digest of all weights that were loaded."""
        found = hashlib.sha256()
        for key, tensor in sorted(self.model.state_dict().items()):
            if key in self._random:
                continue
            found.update(key.encode())
            found.update(tensor.detach().contiguous().float().numpy().tobytes())
        return found.hexdigest()

    def check(self, digest: str, fits: bool, folder: Path) -> None:
        """Raise an error unless this is the encoder that the judge in a folder was trained with."""
        if self.digest != digest or not fits:
            raise unusable_folder(folder, f"the encoder {self.name!r} is not the one it was trained with")

    def vectors(
        self, texts: Sequence[str], progress: Callable[[str, int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return one vector per text, (texts, width); texts of similar length are batched."""
        import numpy as np

        found = np.zeros((len(texts), self.width), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            with self._torch.no_grad():
                found[part] = self.means([texts[at] for at in part]).numpy()
            if progress is not None:
                progress("encoding", start + len(part), len(order))
        return found

    def means(self, texts: list[str]) -> Any:
        """Return one vector per text as a tensor, (texts, width), for training."""
        encoded = self._tokenizer(
            texts, padding=True, truncation=True, max_length=_MAX_SUBWORDS, return_tensors="pt"
        )
        states = self.model(**encoded).last_hidden_state.float()  # (batch, subwords, width)
        mask = encoded["attention_mask"][:, :, None]
        means = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self._torch.nn.functional.normalize(means, dim=1)

    def save(self, folder: Path) -> None:
        """Write weights and tokenizer to a folder."""
        self.model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)


def prepare_text(text: str, outlet: str = "", *, masked: bool = True) -> str:
    """Return what the encoder reads of a text: its first words, without names of outlets and of the sides."""
    words = " ".join(strip_outlet_names(text, outlet).split()[:TOKENS])
    return mask_sides(words) if masked else words


@dataclass(frozen=True, slots=True, eq=False)
class EncoderJudge:
    """Turns a sentence vector into a probability: 1 / (1 + exp(-(vector · weights + offset)))."""

    kind: ClassVar[str] = "logistic regression on the mean of a frozen encoder's last states, unit length"
    encoder: SentenceEncoder
    weights: NDArray[np.float32]
    """(width): positive for conservative."""
    offset: float
    name: str = "judge"
    fingerprint: str = ""
    masked: bool = True
    """Whether the names of the sides are hidden from it."""
    card: Mapping[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Return the digest of head and encoder."""
        return self.fingerprint

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of each text; None for a text without a word."""
        import numpy as np

        prepared = [prepare_text(text, masked=self.masked) for text in texts]
        places = [at for at, text in enumerate(prepared) if any(map(str.isalnum, text))]
        found: list[float | None] = [None] * len(texts)
        if places:
            logits = self.encoder.vectors([prepared[at] for at in places]) @ self.weights + self.offset
            chances = 0.5 + 0.5 * np.tanh(logits.astype(np.float64) / 2)
            for at, chance in zip(places, chances, strict=True):
                found[at] = float(chance)
        return found

    def vectors(self, texts: Sequence[str]) -> Numbers:
        """Return the encoder's vector of each text, (texts, width)."""
        import numpy as np

        prepared = [prepare_text(text, masked=self.masked) for text in texts]
        return np.asarray(self.encoder.vectors(prepared), dtype=np.float64)

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write the judge's folder."""
        import numpy as np

        own = Path(self.encoder.name) == folder / _OWN
        encoder = {"name": _OWN if own else self.encoder.name, "digest": self.encoder.digest}
        arrays = {"weights": self.weights.astype(np.float32)}
        save_folder(folder, arrays, {"encoder": encoder, "offset": self.offset, "masked": self.masked}, card)

    @classmethod
    def load(cls, folder: Path, name: str = "judge") -> EncoderJudge:
        """Read a judge's folder and load its encoder; the digests of both are checked."""
        with open_folder(folder) as (about, arrays, digest):
            weights, offset = arrays["weights"], float(about["offset"])
            source, wanted = str(about["encoder"]["name"]), str(about["encoder"]["digest"])
            masked, card = bool(about.get("masked", False)), dict(about.get("card", {}))
        encoder = SentenceEncoder(str(folder / _OWN) if source == _OWN else source)
        encoder.check(wanted, weights.shape == (encoder.width,), folder)
        parts = [digest, repr(offset), wanted, *(["masked"] if masked else [])]
        fingerprint = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return cls(encoder, weights, offset, name, fingerprint, masked, card)


def train_head(
    examples: Sequence[Example],
    encoder: SentenceEncoder,
    settings: JudgeSettings = _SETTINGS,
    progress: Callable[[str, int, int], None] | None = None,
) -> TrainedJudge[EncoderJudge]:
    """Train a judge on articles of the left and the right, each encoded once."""
    import numpy as np

    articles = Articles.of(examples, settings)
    masked = settings.mask_sides
    prepared = [
        prepare_text(example.text, example.outlet or "", masked=masked) for example in articles.examples
    ]
    matrix = encoder.vectors(prepared, progress).astype(np.float64)

    def predict(inside: NDArray[np.intp], outside: NDArray[np.intp], penalty: float) -> Numbers:
        weights = fit_logistic(matrix[inside], articles.labels[inside], articles.weights(inside), penalty)
        return np.asarray(matrix[outside] @ weights)

    penalty, losses, scale, offset = choose_penalty(articles, predict)
    weights = fit_logistic(matrix, articles.labels, articles.weights(), penalty) * scale
    judge = EncoderJudge(encoder, weights.astype(np.float32), offset, masked=masked)
    return TrainedJudge(judge, penalty, losses, len(matrix), len(set(articles.outlets)))
