"""A smaller vocabulary for an encoder: the subwords that the texts at hand use most.

Multilingual or very large vocabularies make up most of a small encoder, and English text uses a fraction of them. A
unigram tokenizer splits a word whose subword was dropped into shorter ones, so nothing becomes unreadable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

import torch
from torch import nn

from unslant.core.errors import ConfigError

_TEXTS_AT_ONCE = 1000
_SPECIAL = ("pad_token", "cls_token", "sep_token", "unk_token", "bos_token", "eos_token")


def cut_vocabulary(tokenizer: Any, encoder: Any, texts: Iterable[str], size: int) -> Any:
    """Keep the ``size`` subwords that occur most often in the texts, and return the new tokenizer.

    The rows of the encoder's embeddings are chosen accordingly. Special tokens and single printable ASCII characters
    are always kept.
    """
    table = json.loads(tokenizer.backend_tokenizer.to_str())
    if table["model"]["type"] != "Unigram":
        raise ConfigError("'vocabulary' works only for encoders with a unigram tokenizer")
    pieces = table["model"]["vocab"]
    kept = _choose(tokenizer, [piece for piece, _ in pieces], texts, size)
    table["model"]["vocab"] = [pieces[at] for at in kept]
    place = {old: new for new, old in enumerate(kept)}
    table["model"]["unk_id"] = place[table["model"]["unk_id"]]
    table["added_tokens"] = [
        {**token, "id": place[token["id"]]} for token in table["added_tokens"] if token["id"] in place
    ]
    for token in table["post_processor"]["special_tokens"].values():
        token["ids"] = [place[at] for at in token["ids"]]
    table["truncation"] = table["padding"] = None
    old = encoder.get_input_embeddings()
    rows = old.weight.detach()[torch.tensor(kept)].clone()
    old.weight, old.num_embeddings = nn.Parameter(rows), len(kept)
    encoder.config.vocab_size = len(kept)
    return _wrap(json.dumps(table, ensure_ascii=False), tokenizer)


def _choose(tokenizer: Any, pieces: list[str], texts: Iterable[str], size: int) -> list[int]:
    """Return the ids to keep, in order."""
    counts: Counter[int] = Counter()
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    rest = iter(texts)
    while some := list(islice(rest, _TEXTS_AT_ONCE)):
        for encoding in backend.encode_batch_fast(some, add_special_tokens=False):
            counts.update(encoding.ids)
    always = {int(at) for at in tokenizer.all_special_ids if at < len(pieces)}
    always |= {at for at, piece in enumerate(pieces) if len(piece.lstrip("\u2581")) <= 1 and piece.isascii()}
    always |= {at for at, piece in enumerate(pieces) if piece == "\u2581"}
    frequent = [at for at, _ in counts.most_common() if at < len(pieces) and at not in always]
    return sorted([*always, *frequent[: max(0, size - len(always))]])


def _wrap(content: str, before: Any) -> Any:
    import tokenizers
    import transformers

    special = {name: token for name in _SPECIAL if (token := getattr(before, name, None)) is not None}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(content), **special
    )
