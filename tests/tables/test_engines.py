"""Every engine writes the same bytes, and a run that is killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unslant.parallel import Engine
from unslant.spec import Spec
from unslant.tables import run as run_module
from unslant.tables.run import ScoreJob, score_tables
from unslant.tables.scoring import ScoreSpec
from unslant.tables.sources import TableColumns

SRC = Path(__file__).parents[2] / "src"
RULES = Spec(analyzers=("rules",))
TEXTS = ["The legendary singer slammed the plan.", "The committee met on Monday.", "The famed mayor spoke."]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that is cut into parts of two rows."""
    monkeypatch.setattr(run_module, "_PART_ROWS", 2)
    path = tmp_path / "a.jsonl"
    rows = [{"text": text} for text in TEXTS * 3] + [{"text": None}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scored(table: Path, engine: Engine, spec: Spec = RULES, suffix: str = ".parquet") -> bytes:
    output = table.with_name(f"{engine.name}-{engine.workers}{suffix}")
    summary = score_tables(ScoreJob((table,), TableColumns("text"), output, ScoreSpec(spec), engine))
    assert (summary.rows, summary.errors) == (10, 1)
    assert not list(table.parent.glob("*.parts"))
    return output.read_bytes()


def test_processes_write_the_same_bytes(table: Path) -> None:
    assert scored(table, Engine("local", 2)) == scored(table, Engine())


@pytest.mark.ray
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_ray_writes_the_same_bytes_and_hands_on_errors(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unslant.core.errors import InputError

    monkeypatch.setenv("PYTHONPATH", str(SRC))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    local = scored(table, Engine())
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        # one more than there are CPUs: the third worker never starts
        assert scored(table, Engine("ray", 3)) == local
        broken = Spec(analyzers=("rules",), rule_files=(("own.toml", "not a rule"),))
        with pytest.raises(InputError, match=r"own\.toml"):
            scored(table, Engine("ray", 1), broken, ".jsonl")
    finally:
        ray.shutdown()


KILLED = """
import os, signal, sys
from pathlib import Path
from unslant.spec import Spec
from unslant.parallel import Engine
from unslant.tables import run
from unslant.tables.run import ScoreJob, score_tables
from unslant.tables.scoring import ScoreSpec
from unslant.tables.sources import TableColumns

run._PART_ROWS = 2
table, output, workers, stop = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
job = ScoreJob((Path(table),), TableColumns("text"), Path(output), ScoreSpec(Spec(analyzers=("rules",))),
    Engine("local", workers))

def kill(step):
    if step == stop:
        os.kill(os.getpid(), signal.SIGKILL)

writes = 0
real_write, real_atomic, real_records = run._Parts.write, run.write_atomic, run.write_records

def atomic(path, content):
    global writes
    writes += 1
    kill(2 * writes - 1)  # before a file is written: the plan first, then each part
    real_atomic(path, content)
    kill(2 * writes)  # and after it

def records(path, batches, columns, folder):
    def torn():
        for number, batch in enumerate(batches):
            yield batch
            kill(100 + number)  # while the output is written
    real_records(path, torn(), columns, folder)
    kill(200)  # after it, with the parts still there

run.write_atomic, run.write_records = atomic, records
if __name__ == "__main__":
    score_tables(job)
"""


def test_a_run_killed_at_any_moment_goes_on_and_writes_the_same_bytes(table: Path, tmp_path: Path) -> None:
    """Killed with SIGKILL at ten moments of one run, each time going on from where the last was killed."""
    whole = scored(table, Engine(), suffix=".csv")
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    output = tmp_path / "out.csv"
    # A run writes the plan (steps 1 and 2), the parts that are missing, and then the output (from 100 on).
    stops = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (1, 6), (2, 4), (1, 100), (1, 103), (1, 200)]
    for workers, stop in stops:
        command = [sys.executable, str(script), str(table), str(output), str(workers), str(stop)]
        killed = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(SRC)}, capture_output=True)
        assert killed.returncode == -signal.SIGKILL, (stop, killed.stderr.decode())
    job = ScoreJob((table,), TableColumns("text"), output, ScoreSpec(RULES))
    summary = score_tables(job)
    assert (summary.rows, summary.resumed) == (10, 10)
    assert output.read_bytes() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.jsonl",
        "killed.py",
        "local-1.csv",
        "out.csv",
    ]
