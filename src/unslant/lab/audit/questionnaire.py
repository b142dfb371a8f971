"""Texts of an audit as items for people to judge: the same tasks by every variant."""

from __future__ import annotations

import json
import random
from pathlib import Path

from unslant.lab.audit.problems import AuditError
from unslant.lab.audit.store import RunFolder

__all__ = ["write_items"]


def write_items(out: Path, path: Path, count: int, seed: int = 0) -> int:
    """Write so many tasks, each by every variant of an audit's folder, as JSON lines; return how many there are."""
    folders = [RunFolder(one.parent) for one in sorted(out.glob("*/run.json"))]
    if len(folders) < 2:
        raise AuditError(
            f"{out}: there are not two variants in it to compare; audit the model with --debias first"
        )
    texts = {folder.path.name: folder.texts() for folder in folders}
    first = next(iter(texts.values()))
    shared = sorted(
        key for key in first if all(key in some and some[key].text.strip() for some in texts.values())
    )
    # methods that left a text as it was would be asked about twice; only what differs somewhere is worth the time
    shared = [key for key in shared if len({some[key].text for some in texts.values()}) > 1]
    if not shared:
        raise AuditError(f"{out}: its variants have no tasks in common whose texts differ")
    chosen = random.Random(seed).sample(shared, min(count, len(shared)))  # noqa: S311 - a choice, not a secret
    rows = [
        {"item": key, "system": name, "prompt": some[key].prompt, "text": some[key].text.strip()}
        for key in chosen
        for name, some in texts.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return len(chosen)
