"""What a quick run works on: the first rows of each corpus, and models of a few thousand untrained weights."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

from unslant.core.errors import MissingExtra
from unslant.core.files import make_folder

__all__ = ["make_small_data", "make_tiny_encoder", "make_tiny_language_model"]

_CORPORA = (
    "allsides",
    "anno_lexical",
    "babe",
    "cad",
    "crows_pairs",
    "editor",
    "headlines",
    "lexicons",
    "paradetox",
    "real_world",
    "reddit_bias",
    "wikibias",
    "wnc",
)
"""The corpora that the papers need."""
_WHOLE = ("lexicons",)
_ROWS = 24
_MORE = {
    "allsides": 600,
    "babe": 40,
    "cad": 1500,
    "crows_pairs": 60,
    "editor": 30,
    "headlines": 60,
    "paradetox": 120,
    "reddit_bias": 160,
}
"""Corpora of which the first few rows would all have one label, outlet or side."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,;:!?'\"()-$%/&"


def make_small_data(places: Sequence[Path], folder: Path) -> Path:
    """Copy the first rows of each corpus that the papers need; what is there already is left alone."""
    make_folder(folder)
    for name in _CORPORA:
        corpus = next((place / name for place in places if (place / name).is_dir()), None)
        if corpus is None or (folder / name).is_dir():
            continue
        make_folder(folder / name)
        for path in sorted(corpus.iterdir()):
            if name in _WHOLE:
                shutil.copyfile(path, folder / name / path.name)
            else:
                _copy_rows(path, folder / name / path.name, _MORE.get(name, _ROWS))
    return folder


def _copy_rows(source: Path, target: Path, rows: int) -> None:
    if source.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.parquet.read_table(source).slice(0, rows), target)
    elif source.suffix == ".conll":
        blocks = source.read_text("utf-8").strip().split("\n\n")[:rows]
        target.write_text("\n\n".join(blocks) + "\n", "utf-8")
    elif source.suffix in (".xlsx", ".pdf"):
        shutil.copyfile(source, target)  # a workbook cannot be cut without rewriting it
    else:
        with _open(source, "rt") as reading, _open(target, "wt") as writing:
            writing.writelines(
                _spread(reading, rows) if source.suffix == ".gz" else islice(reading, rows + 1)
            )


def _spread(lines: IO[str], rows: int) -> Iterator[str]:
    """Yield the head, and rows from all over a file that is sorted by outlet or side."""
    yield next(lines, "")
    for at, line in enumerate(lines):
        if at % 37 == 0:
            yield line
            rows -= 1
        if not rows:
            return


def _open(path: Path, mode: str) -> IO[Any]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    stream: IO[Any] = opened(path, mode, encoding="utf-8")
    return stream


def make_tiny_encoder(folder: Path) -> Path:
    """Write a BERT of two narrow layers with random weights; its subwords are single characters."""
    if (folder / "config.json").is_file():
        return folder
    try:
        import torch
        import transformers
        from transformers.utils import logging
    except ModuleNotFoundError as error:
        raise MissingExtra("a quick run", error.name or "torch", "train") from error
    logging.disable_progress_bar()
    make_folder(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_LETTERS, *(f"##{letter}" for letter in _LETTERS)]
    library: Any = transformers
    library.BertTokenizerFast(vocab={word: at for at, word in enumerate(words)}).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = library.BertConfig(vocab_size=len(words), max_position_embeddings=96, **sizes)
    library.BertModel(config).save_pretrained(folder)
    return folder


def make_tiny_language_model(folder: Path, text: Path) -> Path:
    """Write a GPT-2 of two narrow layers with random weights; its tokens are pieces of the words of a file."""
    if (folder / "config.json").is_file():
        return folder
    try:
        import torch
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
        from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
        from transformers.utils import logging
    except ModuleNotFoundError as error:
        raise MissingExtra("a quick run", error.name or "torch", "lm") from error
    logging.disable_progress_bar()
    make_folder(folder)
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False
    )
    plain.train([str(text)], trainer)
    PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>").save_pretrained(folder)  # noqa: S106
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=plain.get_vocab_size(),
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=4096,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
