"""Texts as vectors, to find those that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from unslant.core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MeanEmbedder"]

_BATCH = 16
_LONGEST = 256


class MeanEmbedder:
    """The mean of a model's last hidden states over a text's tokens, of length 1."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model.eval(), tokenizer

    @classmethod
    def load(cls, name: str) -> MeanEmbedder:
        """Load an encoder of the hub or from a folder."""
        from transformers import AutoModel, AutoTokenizer

        try:
            return cls(AutoModel.from_pretrained(name), AutoTokenizer.from_pretrained(name))
        except (OSError, ValueError, KeyError) as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelError(f"--embedder {name}: cannot be loaded ({first[:200]})") from None

    @torch.no_grad()
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text, each of length 1; texts of like length are read together."""
        encoded = [self._tokenizer(one)["input_ids"][:_LONGEST] or [0] for one in texts]
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at]))
        rows: list[torch.Tensor] = [torch.empty(0)] * len(texts)
        device = next(self._model.parameters()).device
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            longest = max(len(encoded[at]) for at in places)
            ids = torch.zeros(len(places), longest, dtype=torch.long, device=device)
            mask = torch.zeros_like(ids)
            for row, at in enumerate(places):
                ids[row, : len(encoded[at])] = torch.tensor(encoded[at])
                mask[row, : len(encoded[at])] = 1
            hidden = self._hidden(ids, mask)
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)  # (batch, width)
            for at, vector in zip(places, torch.nn.functional.normalize(mean, dim=1), strict=True):
                rows[at] = vector
        found: NDArray[np.float32] = torch.stack(rows).float().cpu().numpy()
        return found

    def _hidden(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        out = self._model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        hidden: torch.Tensor = out.hidden_states[-1]
        return hidden  # (batch, tokens, width)
