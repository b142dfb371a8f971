"""Models as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unslant.report.printable import clean

__all__ = ["model_text"]


def model_text(model: Mapping[str, Any]) -> str:
    """Return the description of a model, as ``neural.checkpoint.describe_model`` gives it."""
    if model["problem"]:
        return f"{clean(model['name'])}\n  {clean(model['problem'])}"
    lines = [model["name"], *([f"  {model['about']}"] if model["about"] else [])]
    lines += [
        f"  folder   {model['folder']}",
        f"  size     {model['bytes'] / 1e6:.1f} MB",
        f"  digest   {model['digest'][:16]}, all files verified",
        f"  heads    {', '.join(model['heads'])}",
    ]
    if model["encoder"]:
        lines.append(f"  encoder  {model['encoder']}")
    corpora = model["trained_on"]
    lines.append("  trained on:" if corpora else "  training data unknown: the model has no card")
    lines += [
        f"    {corpus['title'] or corpus['name']}: {corpus['licence'] or 'licence unknown'}"
        for corpus in corpora
    ]
    if model["figures"]:
        lines.append("  quality, with 95 % intervals (the model card has all figures):")
        lines += [f"    {_format_figure(figure)}" for figure in model["figures"]]
    return "\n".join(map(clean, lines))


def _format_figure(figure: Mapping[str, Any]) -> str:
    value, low, high = (figure.get(key) for key in ("value", "low", "high"))
    numbers = [number for number in (value, low, high) if isinstance(number, int | float)]
    shown = f"{numbers[0]:.3f}" if numbers else "-"
    between = f" ({numbers[1]:.3f} to {numbers[2]:.3f})" if len(numbers) == 3 else ""
    return f"{figure['task']}, {figure['text']}, {figure['name']}: {shown}{between}"
