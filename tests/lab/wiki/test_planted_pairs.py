"""Real pairs, planted in a generated dump, are found again."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.lab.wiki.generated_dump import generate_dump, is_plantable
from unslant.lab.evaluation.weak_labels import gold_pairs
from unslant.lab.wiki.run import harvest


@pytest.mark.shared
def test_planted_pairs_are_found_and_few_others(shared_data: Path, tmp_path: Path) -> None:
    by_source = {
        source.text: target.text
        for source, target in gold_pairs(shared_data)
        if source.split == "train" and is_plantable(source.text, target.text)
    }
    pairs = list(by_source.items())[::3]
    planted = set(generate_dump(tmp_path / "wiki.xml", pairs, 0).planted)
    assert len(planted) == len(pairs) > 600
    harvest([tmp_path / "wiki.xml"], tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "pairs.parquet", columns=["source", "target"]).to_pylist()
    found = {(row["source"], row["target"]) for row in rows}
    assert len(found & planted) >= 0.95 * len(planted)
    assert len(found - planted) <= 0.02 * len(found)
