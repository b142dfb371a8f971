"""Any sequence classifier of transformers as a judge: ``hf:NAME_OR_FOLDER``."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from unslant.lab.judges.judge import JudgeError
from unslant.neural.hub import transformers_to_load

_BATCH = 16
_RIGHT = re.compile(r"conserv|right|republican", re.IGNORECASE)
_LEFT = re.compile(r"liberal|left|democrat", re.IGNORECASE)


class HuggingFaceJudge:
    """A classifier with labels for left and right; a label for the center counts for neither side."""

    def __init__(self, name: str) -> None:
        self.name = f"hf:{name}"
        with transformers_to_load(
            name, "classifier", "a judge from the hub", "lm", JudgeError, self.name
        ) as transformers:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            auto = transformers.AutoModelForSequenceClassification
            self._model: Any = auto.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False
            ).eval()
        self._torch: Any = importlib.import_module("torch")
        labels = {int(at): str(label) for at, label in self._model.config.id2label.items()}
        self._left, self._right = find_sides(labels, name)
        room = getattr(self._model.config, "max_position_embeddings", 512)
        self._longest = min(int(self._tokenizer.model_max_length), int(room), 512)
        self._fingerprint = ""

    def digest(self) -> str:
        """Return the digest of all weights."""
        if not self._fingerprint:
            found = hashlib.sha256()
            for key, tensor in sorted(self._model.state_dict().items()):
                found.update(key.encode())
                found.update(tensor.detach().cpu().contiguous().float().numpy().tobytes())
            self._fingerprint = found.hexdigest()
        return self._fingerprint

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of the right among left and right; None for an empty text."""
        found: list[float | None] = [None] * len(texts)
        order = sorted((at for at, text in enumerate(texts) if text.strip()), key=lambda at: len(texts[at]))
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            for at, value in zip(part, self._classify([texts[at] for at in part]), strict=True):
                found[at] = value
        return found

    def _classify(self, texts: list[str]) -> list[float]:
        padded = self._tokenizer.pad_token is not None
        groups = [texts] if padded else [[text] for text in texts]
        values: list[float] = []
        for group in groups:
            encoded = self._tokenizer(
                group, padding=padded, truncation=True, max_length=self._longest, return_tensors="pt"
            )
            with self._torch.no_grad():
                logits = self._model(**encoded).logits
            if self._left is None:
                values += self._torch.sigmoid(logits[:, self._right]).tolist()
            else:
                values += self._torch.softmax(logits[:, [self._left, self._right]], dim=-1)[:, 1].tolist()
        return values


def find_sides(labels: Mapping[int, str], name: str) -> tuple[int | None, int]:
    """Return the labels for left and right; a model with one label gives the probability of the right."""
    right = [at for at, label in labels.items() if _RIGHT.search(label)]
    left = [at for at, label in labels.items() if _LEFT.search(label)]
    if len(right) == 1 and len(left) == 1 and left != right:
        return left[0], right[0]
    if len(labels) == 1:
        return None, next(iter(labels))
    if len(labels) == 2 and not right and not left:
        return 0, 1  # the paper's order: 0 liberal, 1 conservative
    raise JudgeError(
        f"{name!r}: none of its labels ({', '.join(labels.values())}) clearly means liberal or conservative; use a "
        "model whose labels name the sides"
    )
