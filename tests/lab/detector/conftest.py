"""A tiny encoder and a toy language in which slant can be learned in seconds."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SLANTED = ["awful", "glorious", "shameful", "heroic"]
PLAIN = [
    "the",
    "town",
    "council",
    "met",
    "on",
    "monday",
    "a",
    "road",
    "opened",
    "river",
    "was",
    "long",
    "##s",
]
GROUPS = ["Democrats", "Republicans", "he", "she"]


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of two layers, 32 wide, and a tokenizer for the toy language."""
    return make_encoder(tmp_path_factory.mktemp("encoder"))


def make_encoder(folder: Path, more: int = 0) -> Path:
    """Write a tiny encoder; its vocabulary can have more words than the toy language."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *SLANTED, *PLAIN]
    words += [group.lower() for group in GROUPS] + [f"w{number}" for number in range(more)]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    BertTokenizerFast(vocab={word: at for at, word in enumerate(words)}).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def toy_rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows of a corpus: a text is slanted if it has a slanted word, which is then marked, with its kind."""
    rng = random.Random(seed)
    rows = []
    for number in range(count):
        words = [rng.choice(PLAIN[:-1]) for _ in range(rng.randint(3, 8))]
        slanted = number % 2 == 0
        if slanted:
            words.insert(rng.randrange(len(words)), rng.choice(SLANTED))
        text = " ".join(words)
        start = next((text.find(word) for word in SLANTED if word in words), -1)
        end = start + next((len(word) for word in SLANTED if word in words), 0)
        kinds = ["framing"] if slanted else []
        rows.append(
            {
                "id": str(number),
                "text": text,
                "label": int(slanted),
                "spans": [{"start": start, "end": end, "kind": "framing"}] if slanted else [],
                "kinds": kinds,
                "split": "dev" if number % 10 >= 8 else "train",
            }
        )
    return rows


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A JSON Lines file of the toy language."""
    path = tmp_path / "toy.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in toy_rows(160)))
    return path


@pytest.fixture
def recipe_file(tmp_path: Path, encoder: Path, corpus: Path) -> Callable[..., Path]:
    """Write a recipe for the toy language; more lines can be put into its head and its stage."""

    def write(head: str = "", stage: str = "", more: str = "", epochs: int = 4) -> Path:
        path = tmp_path / "toy.toml"
        path.write_text(
            f"""
about = "toy"
encoder = "{encoder}"
max_length = 32
{head}
[heads.sentence]
type = "sentence"
[heads.spans]
type = "spans"
[heads.kinds]
type = "kinds"
[heads.span_kinds]
type = "span_kinds"
[[stages]]
name = "only"
epochs = {epochs}
batch = 8
lr = 5e-3
corpora = [{{ name = "{corpus}" }}]
dev = [{{ name = "{corpus}", splits = ["dev"] }}]
metric = ["sentence.macro_f1", "spans.exact_f1"]
{stage}
{more}
"""
        )
        return path

    return write
