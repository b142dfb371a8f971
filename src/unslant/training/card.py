"""The card of a run: what was learned from, on which terms, how, and how well."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unslant.training.checkpoint import State
from unslant.training.data import Data
from unslant.training.recipe import Recipe
from unslant.version import VERSION

__all__ = ["card_markdown", "make_card", "write_card"]


def make_card(
    recipe: Recipe, data: Data, state: State, held_out: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Return everything that a reader of the figures should know."""
    return {
        "about": recipe.about,
        "version": VERSION,
        "encoder": recipe.encoder,
        "data": [
            {
                "name": name,
                "title": card.title,
                "licence": card.licence,
                "url": card.url,
                "citation": card.citation,
                "kept_out": data.dropped[name],
                "warning": card.warning,
            }
            for name, card in sorted(data.used.items())
        ],
        "recipe": asdict(recipe),
        "history": state.history,
        "decisions": state.decisions,
        "held_out": held_out,
        "cost": {
            "seconds": round(state.seconds, 1),
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
        },
        "limits": [
            "English only, one sentence at a time: slant that shows only in context is not seen.",
            "Labels are the judgement of the annotators of these corpora, and share their blind spots.",
            "A probability speaks of wording, never of a person or of the truth of a claim.",
        ],
    }


def write_card(
    recipe: Recipe, data: Data, state: State, held_out: Mapping[str, Mapping[str, float]], out: Path
) -> None:
    """Write ``card.json`` and ``card.md``."""
    card = make_card(recipe, data, state, held_out)
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    (out / "card.md").write_text(card_markdown(card), "utf-8")


def card_markdown(card: Mapping[str, Any]) -> str:
    """Return the card for people."""
    lines = [
        f"# {card['about']}",
        "",
        f"Encoder: `{card['encoder']}`. Made with unslant {card['version']}.",
        "",
    ]
    lines += ["## Learned from", "", "| corpus | terms | kept out as held-out text |", "|---|---|--:|"]
    lines += [
        f"| [{_cell(one['title'])}]({one['url']}) | {_cell(one['licence'])} | {one['kept_out']} |"
        for one in card["data"]
    ]
    lines += ["", "## On held-out text", "", "| corpus | figure | value |", "|---|---|--:|"]
    lines += [
        f"| {_cell(name)} | {figure} | {value:.3f} |"
        for name, figures in card["held_out"].items()
        for figure, value in figures.items()
    ]
    lines += ["", "## Epochs", "", "| stage | epoch | training loss | development |", "|---|--:|--:|---|"]
    lines += [
        f"| {_cell(one['stage'])} | {one['epoch']} | {one['train_loss']} | "
        f"{', '.join(f'{name} {value}' for name, value in one['dev'].items())} |"
        for one in card["history"]
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
