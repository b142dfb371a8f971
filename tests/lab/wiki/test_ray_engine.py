"""The Ray engine gives what the local one gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.wiki.dump_files import Dump, PageOf, edited

SRC = Path(__file__).parents[3] / "src"


def run(dumps: list[Path], out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unslant", "harvest", *map(str, dumps), "--output", str(out), *options]
    environment = {**os.environ, "PYTHONPATH": str(SRC), "RAY_USAGE_STATS_ENABLED": "0"}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.ray
def test_ray_gives_the_same_bytes(tmp_path: Path) -> None:
    dumps = []
    for part in range(5):
        history = edited(f"The wonderful mill {part % 3} draws crowds.", f"The mill {part % 3} draws crowds.")
        dumps.append(Dump([PageOf(history)], first=1 + part * 50).write(tmp_path / f"part{part}.xml"))
    dumps[3].write_text(dumps[3].read_text()[:-400])
    results = [
        run(dumps, tmp_path / "local"),
        run(dumps, tmp_path / "several", "--workers", "3"),
        run(dumps, tmp_path / "ray", "--engine", "ray", "--workers", "2"),
    ]
    assert [result.returncode for result in results] == [2, 2, 2], results[2].stderr
    assert all("part3.xml" in result.stderr for result in results)
    written = [
        [(tmp_path / name / file).read_bytes() for file in ("pairs.parquet", "manifest.json")]
        for name in ("local", "several", "ray")
    ]
    assert written[0] == written[1] == written[2]
