"""Makes ``tests/neural/tiny_model``: a BERT of one layer, trained on a toy language for a few seconds and exported.

    python tests/neural/make_tiny_model.py

Needs the extra ``train``. The tests only read the folder; make it anew when the form of the export changes.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "src"))

FRAMING = ["awful", "glorious"]
DOUBTS = ["supposedly", "allegedly"]
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
    "and",
    "it",
]
LETTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,;:!?-'\"()", *FRAMING, *DOUBTS, *PLAIN, *LETTERS]
WORDS += [f"##{letter}" for letter in LETTERS]

RECIPE = """
about = "A toy: four words slant"
encoder = "{folder}/encoder"
max_length = 16
[heads.sentence]
type = "sentence"
[heads.spans]
type = "spans"
[heads.kinds]
type = "kinds"
[heads.span_kinds]
type = "span_kinds"
[heads.dimension]
type = "dimension"
[[stages]]
name = "only"
epochs = 12
batch = 16
lr = 1e-2
corpora = [{{ name = "{folder}/toy.jsonl" }}]
dev = [{{ name = "{folder}/toy.jsonl", splits = ["dev"] }}]
metric = ["sentence.macro_f1", "spans.exact_f1"]
"""


def encoder(folder: Path) -> None:
    """Write a random encoder with a vocabulary that knows every plain letter."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    BertTokenizerFast(vocab={word: at for at, word in enumerate(WORDS)}).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    BertModel(config).save_pretrained(folder)


def rows(count: int) -> list[dict[str, object]]:
    """Sentences of the toy language, half of them with one word that slants."""
    rng = random.Random(0)
    found = []
    for number in range(count):
        words = [rng.choice(PLAIN) for _ in range(rng.randint(2, 9))]
        spans: list[dict[str, object]] = []
        kind = rng.choice(["framing", "epistemological"])
        if number % 2 == 0:
            word = rng.choice(FRAMING if kind == "framing" else DOUBTS)
            place = rng.randrange(len(words) + 1)
            start = len(" ".join([*words[:place], ""]))
            spans = [{"start": start, "end": start + len(word), "kind": kind}]
            words.insert(place, word)
        found.append(
            {
                "id": str(number),
                "text": " ".join(words),
                "label": len(spans),
                "spans": spans,
                "kinds": [kind] if spans else [],
                "split": "dev" if number % 10 >= 8 else "train",
            }
        )
    return found


def main() -> None:
    """Train, export, and put the folder where the tests look."""
    from unslant.lab.detector.export import export
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.detector.run import train

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        encoder(folder / "encoder")
        lines = [json.dumps(row) for row in rows(1200)]
        (folder / "toy.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "toy.toml").write_text(RECIPE.format(folder=folder))
        model = train(read_recipe(str(folder / "toy.toml")), folder / "run")
        print(json.loads((folder / "run" / "card.json").read_text())["history"][-1])  # noqa: T201
        package = export(model, folder / "package")
        card = json.loads((package / "card.json").read_text())
        target = HERE / "tiny_model"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        small = {key: card[key] for key in ("about", "version", "limits")}
        small["encoder"] = "a random BERT, one layer, 16 wide"
        small["data"] = [{"name": "toy", "title": "Toy sentences", "licence": "Apache-2.0", "url": ""}]
        (package / "card.json").write_text(json.dumps(small, indent=1) + "\n")
        (package / "card.md").unlink()
        about = json.loads((package / "model.json").read_text())
        import hashlib

        about["files"] = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(package.iterdir())
            if path.name != "model.json"
        }
        (package / "model.json").write_text(json.dumps(about, indent=1) + "\n")
        for path in package.iterdir():
            shutil.copy(path, target)


if __name__ == "__main__":
    main()
