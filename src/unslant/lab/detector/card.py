"""The card of a run: training data, licences, settings and results."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import InputError
from unslant.core.files import read_json
from unslant.version import VERSION

if TYPE_CHECKING:
    from unslant.lab.detector.checkpoint import RunState
    from unslant.lab.detector.data import Data
    from unslant.lab.detector.recipe import Recipe
    from unslant.lab.rewriters.pairs import PairData


def make_card(
    recipe: Recipe, data: Data, state: RunState, held_out: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return the card; it contains no local paths."""
    before, unknown = _ancestors(recipe)
    return {
        "about": recipe.about,
        "version": VERSION,
        "encoder": before[0]["encoder"]
        if is_run(recipe.encoder) and before
        else portable_name(recipe.encoder),
        "data": training_corpora(data, before),
        "recipe": _portable_recipe(recipe),
        "before": before,
        "unknown": unknown,
        "history": state.history,
        "decisions": state.decisions,
        "held_out": held_out,
        "cost": cost(state),
        "limits": [
            "English only, one sentence at a time: slant that depends on context is missed.",
            "Labels reflect the judgement of the annotators of these corpora and share their blind spots.",
            "A probability rates wording, never a person or the truth of a claim.",
        ],
    }


def training_corpora(data: Data | PairData, before: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the corpora of this run and of all earlier runs it builds on, each once."""
    own: dict[str, Mapping[str, Any]] = {
        name: {
            "name": name,
            "title": card.title,
            "licence": card.licence,
            "url": card.url,
            "citation": card.citation,
            "kept_out": data.dropped[name],
            "warning": card.warning,
        }
        for name, card in data.used.items()
    }
    inherited = {corpus["name"]: corpus for card in before for corpus in card["data"]}
    return [corpus for _, corpus in sorted((inherited | own).items())]


def is_run(folder: str) -> bool:
    """Return whether a folder holds a trained model, which has a card."""
    return any(Path(folder, name).is_file() for name in ("network.json", "rewriter.json"))


def portable_name(encoder: str) -> str:
    """Return a hub name unchanged, and the name of a folder without its path."""
    return Path(encoder).name if Path(encoder).is_dir() else encoder


def _portable_recipe(recipe: Recipe) -> dict[str, Any]:
    table = asdict(recipe) | {"encoder": portable_name(recipe.encoder)}
    for stage in table["stages"]:
        if stage["distill"]:
            stage["distill"]["teachers"] = [_run_name(teacher) for teacher in stage["distill"]["teachers"]]
    return table


def _run_name(folder: str) -> str:
    path = Path(folder)
    return path.parent.name if path.name == "model" else path.name


def _ancestors(recipe: Recipe) -> tuple[list[Any], list[str]]:
    """Return the cards of the base model and of the teachers, and the names of those without a card."""
    own = [recipe.encoder] if is_run(recipe.encoder) else []
    return read_cards([*own, *recipe.all_teachers()])


def read_cards(folders: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Return the cards of trained models, and the names of models without a card."""
    cards, unknown = [], []
    for folder in dict.fromkeys(folders):
        places = (Path(folder, "card.json"), Path(folder).parent / "card.json")
        try:
            cards.append(read_json(next(path for path in places if path.is_file())))
        except (InputError, StopIteration):
            unknown.append(_run_name(folder))
    return cards, unknown


def cost(state: RunState) -> dict[str, Any]:
    """Return how long a run took, and where."""
    return {
        "seconds": round(state.seconds, 1),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
    }


def write_card(card: Mapping[str, Any], out: Path) -> None:
    """Write ``card.json`` and ``card.md``."""
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    (out / "card.md").write_text(card_markdown(card), "utf-8")


def card_markdown(card: Mapping[str, Any]) -> str:
    """Return the card as Markdown."""
    lines = [
        f"# {card['about']}",
        "",
        f"Encoder: `{card['encoder']}`. Made with unslant {card['version']}.",
        "",
    ]
    lines += ["## Training data", "", "| corpus | licence | excluded as held-out text |", "|---|---|--:|"]
    lines += [
        f"| [{_cell(corpus['title'])}]({corpus['url']}) | {_cell(corpus['licence'])} | {corpus['kept_out']} |"
        for corpus in card["data"]
    ]
    lines += ["", "## Results on held-out text", "", "| corpus | metric | value |", "|---|---|--:|"]
    lines += [
        f"| {_cell(name)} | {figure} | {value:.3f} |"
        for name, figures in card["held_out"].items()
        for figure, value in figures.items()
    ]
    lines += ["", "## Epochs", "", "| stage | epoch | training loss | development |", "|---|--:|--:|---|"]
    lines += [
        f"| {_cell(entry['stage'])} | {entry['epoch']} | {entry['train_loss']} | "
        f"{', '.join(f'{name} {value}' for name, value in entry['dev'].items())} |"
        for entry in card["history"]
    ]
    minutes = card["cost"]["seconds"] / 60
    lines += [
        "",
        "## Cost",
        "",
        f"{minutes:.1f} minutes on {card['cost']['processor']}.",
        "",
        "## Limits",
        "",
    ]
    lines += [f"- {limit}" for limit in card["limits"]]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
