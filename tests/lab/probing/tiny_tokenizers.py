"""Three sorts of tokenizers, trained in a moment on a few sentences."""

from __future__ import annotations

from functools import cache

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

_TEXTS = [
    "the council met on monday and praised the awful plan",
    "political affiliation and perceived negative groups",
    "Question: Is there bias in the previous text?\nAnswer: Yes No",
    "gender race religion age nationality ethnicity disability profession sexuality",
    "the café is naïve, they say; 12 zogs came — late…",
] * 3
SORTS = ("bpe", "byte-level", "wordpiece")


@cache
def trained(sort: str) -> Tokenizer:
    """Train a tokenizer of one sort; each knows every character of the texts, and little more."""
    if sort == "bpe":
        made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=False))  # noqa: S106
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
        made.decoder = decoders.Metaspace(prepend_scheme="never")
        made.train_from_iterator(
            _TEXTS, trainers.BpeTrainer(vocab_size=200, special_tokens=["<unk>", "<end>"])
        )
    elif sort == "byte-level":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        made.train_from_iterator(
            _TEXTS, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=["<end>"])
        )
    else:
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
        made.normalizer = normalizers.BertNormalizer()
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        made.train_from_iterator(
            _TEXTS, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[UNK]", "<end>"])
        )
    return made
