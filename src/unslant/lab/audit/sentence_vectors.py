"""Texts as vectors of a frozen encoder: the mean of its last states, of length 1."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.lab.audit.problems import JudgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SentenceEncoder"]

_BATCH = 64
_LONGEST = 128
"""Pieces that are read: a hundred words of news, or a generated text, have no more."""


class SentenceEncoder:
    """An encoder of transformers, from the hub or a folder; nothing of it is trained."""

    def __init__(self, name: str) -> None:
        try:
            import torch
            import transformers
        except ModuleNotFoundError as error:
            raise MissingExtra("a judge with an encoder", error.name or "transformers", "lm") from error
        logs: Any = transformers.utils.logging
        logs.set_verbosity_error()
        logs.disable_progress_bar()
        self.name = name
        self._torch: Any = torch
        auto: Any = transformers.AutoModel
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name)
            self._model: Any = auto.from_pretrained(name, use_safetensors=True, dtype=torch.float32).eval()
        except (OSError, ValueError, KeyError) as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise JudgeError(
                f"no encoder could be loaded from {name!r} ({first[:200]}); name a hub model or a folder"
            ) from None

    @cached_property
    def width(self) -> int:
        """How long a vector is."""
        return int(self._model.config.hidden_size)

    def digest(self) -> str:
        """Return the digest of all weights."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        found = hashlib.sha256()
        for key, tensor in sorted(self._model.state_dict().items()):
            found.update(key.encode())
            found.update(tensor.detach().contiguous().float().numpy().tobytes())
        return found.hexdigest()

    def vectors(
        self, texts: Sequence[str], tell: Callable[[str, int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return one vector per text, (texts, width); texts of like length are read together."""
        import numpy as np

        found = np.zeros((len(texts), self.width), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            found[part] = self._batch([texts[at] for at in part])
            if tell is not None:
                tell("reading", start + len(part), len(order))
        return found

    def _batch(self, texts: list[str]) -> Any:
        encoded = self._tokenizer(
            texts, padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
        )
        with self._torch.no_grad():
            states = self._model(**encoded).last_hidden_state.float()
        mask = encoded["attention_mask"][:, :, None]
        means = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self._torch.nn.functional.normalize(means, dim=1).numpy()
