"""The list of mutations, and the page of them: ``python -m tests.mutation.mutations`` writes docs/mutations.md."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mutations.md"
_HEAD = """# Mutations

Each mutation changes one line of `src/unslant` in a copy of the sources, and the test beside it must then fail. They
guard offsets, limits, gates, digests and keys, where a wrong character would go unnoticed for long.
`tests/mutation/mutations.toml` is the list.

```sh
python -m pytest tests/mutation                     # the list fits the sources; a second
python -m pytest -n 2 -m mutation tests/mutation    # each mutation is made, and its test run; a few minutes
```

`.ci/run` runs both.

`python -m tests.mutation.mutations` writes this page, and a test checks that it is current.
"""


@dataclass(frozen=True)
class Mutation:
    """A line of the sources, what it becomes, and the test that must notice."""

    file: str
    """Relative to src/unslant."""
    before: str
    after: str
    test: str


MUTATIONS = [
    Mutation(**entry)
    for entry in tomllib.loads(Path(__file__).with_name("mutations.toml").read_text("utf-8"))["mutation"]
]


def _code(text: str) -> str:
    """Return a line of code as Markdown; a table's cells end at a bar."""
    mark = "``" if "`" in text else "`"
    return f"{mark}{text.strip()}{mark}".replace("|", "\\|")


def mutation_page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD]
    for file, group in groupby(sorted(MUTATIONS, key=lambda one: one.file), lambda one: one.file):
        rows = [
            f"| {_code(one.before)} | {_code(one.after)} | {_code(one.test.removeprefix('tests/'))} |"
            for one in group
        ]
        parts.append(
            "\n".join(
                [f"## `{file}`\n", "| line | becomes | noticed by `tests/`… |", "|---|---|---|", *rows, ""]
            )
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(mutation_page(), "utf-8")
