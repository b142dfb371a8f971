"""Writes the pages in docs/papers from the recorded figures.

``python -m tests.lab.reproduce.pages`` writes the pages again; ``python -m tests.lab.reproduce.pages babe=OUT`` first
takes over the results that ``unslant reproduce babe --output OUT`` left.
"""

from __future__ import annotations

import sys
from pathlib import Path

import unslant.lab.reproduce
from unslant.lab.reproduce.page import Reproduction, markdown_of
from unslant.lab.reproduce.paper import PAPERS, read_paper
from unslant.lab.reproduce.record import add_results, read_record, write_record

PAGES = Path(__file__).parents[3] / "docs" / "papers"
_RECORDED = Path(unslant.lab.reproduce.__file__).parent / "recorded"


def page_of(name: str) -> str:
    """Return the page of a paper as it should be in the documentation."""
    record = read_record(name, PAGES)
    return markdown_of(Reproduction(read_paper(name), record.settings, record.results, {}))


def main() -> None:
    """Take over results, and write all pages."""
    for argument in sys.argv[1:]:
        name, _, out = argument.partition("=")
        record = add_results(read_record(name, PAGES), read_paper(name), Path(out))
        write_record(record, _RECORDED / f"{name}.json")
    for name in PAPERS:
        (PAGES / f"{name}.md").write_text(page_of(name), "utf-8")


if __name__ == "__main__":
    main()
