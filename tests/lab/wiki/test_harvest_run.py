"""The whole harvest: what is found, what a manifest says, and that no accident changes the result."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.lab.wiki.dump_files import LEAD, NEUTRAL, PAIR, SLANTED, Dump, PageOf, Rev, edited
from tests.lab.wiki.generated_dump import generate_dump, is_plantable
from unslant.cli.main import main
from unslant.core.errors import UnknownName
from unslant.lab.wiki.dump import HarvestError
from unslant.lab.wiki.parts import PartTask, lock_folder
from unslant.lab.wiki.run import harvest
from unslant.lab.wiki.settings import HarvestSettings
from unslant.parallel import Engine

SRC = Path(__file__).parents[3] / "src"


def rows(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(out / "pairs.parquet").to_pylist()
    return found


def texts(out: Path) -> list[tuple[str, str]]:
    return [(row["source"], row["target"]) for row in rows(out)]


def outputs(out: Path) -> tuple[bytes, bytes]:
    return (out / "pairs.parquet").read_bytes(), (out / "manifest.json").read_bytes()


def small(folder: Path, name: str, *histories: Sequence[Rev], first: int = 1) -> Path:
    return Dump([PageOf(list(history)) for history in histories], first=first).write(folder / name)


def test_a_pair_comes_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    dump = small(tmp_path, "a.xml", edited(*PAIR, comment="NPOV & style"))
    manifest = harvest([dump], tmp_path / "out")
    (row,) = rows(tmp_path / "out")
    assert (row["source"], row["target"]) == PAIR
    assert (row["wiki"], row["language"], row["page"], row["title"]) == ("smallwiki", "en", 101, "A page")
    assert (row["revision"], row["parent"], row["timestamp"]) == (2, 1, "2024-01-01T00:02:00Z")
    assert (row["comment"], row["licence"]) == ("NPOV & style", "CC BY-SA 4.0")
    assert "https://small.example.org/w/index.php?title=A_page&diff=2&oldid=1" in row["attribution"]
    assert row["split"] in {"train", "dev", "test"}
    assert manifest["pairs"] == 1
    assert manifest == json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["parts"][0]["bytes"] == dump.stat().st_size
    assert manifest["counts"]["revisions"] == 2


def test_markup_around_and_in_the_sentence_is_gone(tmp_path: Path) -> None:
    source = "The [[wonder|wonderful]] '''mill''' attracts {{nowrap|x}}countless happy visitors every year."
    dump = small(tmp_path, "a.xml", edited(source, "The '''mill''' attracts [[visitor]]s every year."))
    harvest([dump], tmp_path / "out")
    assert texts(tmp_path / "out") == [PAIR]


def test_equal_pairs_are_kept_once_and_the_latest_of_a_source(tmp_path: Path) -> None:
    other = "The mill attracts many visitors every year."
    first = small(tmp_path, "a.xml", edited(*PAIR), edited(SLANTED, other), first=1)
    second = small(tmp_path, "b.xml", edited(SLANTED, other), edited(*PAIR), first=50)
    manifest = harvest([first, second], tmp_path / "out")
    (row,) = rows(tmp_path / "out")
    assert (row["target"], row["revision"]) == (NEUTRAL, 53)
    assert (manifest["counts"]["duplicate"], manifest["counts"]["superseded"]) == (2, 1)
    off = HarvestSettings(without=frozenset({"superseded"}))
    harvest([first, second], tmp_path / "off", off)
    assert sorted(texts(tmp_path / "off")) == sorted([PAIR, (SLANTED, other)])
    both = HarvestSettings(without=frozenset({"superseded", "duplicate"}))
    harvest([first, second], tmp_path / "both", both)
    assert len(rows(tmp_path / "both")) == 4


def test_a_page_is_on_one_side_and_the_shares_hold(tmp_path: Path) -> None:
    two = [
        Rev("One. " + SLANTED),
        Rev("One. " + NEUTRAL, "NPOV"),
        Rev("A fine day. " + NEUTRAL),
        Rev("A day. " + NEUTRAL, "POV"),
    ]
    histories = [
        [Rev(item.text.replace("mill", f"mill {place}") if item.text else None, item.comment) for item in two]
        for place in range(300)
    ]
    manifest = harvest([small(tmp_path, "a.xml", *histories)], tmp_path / "out")
    sides: dict[int, set[str]] = {}
    for row in rows(tmp_path / "out"):
        sides.setdefault(row["page"], set()).add(row["split"])
    assert len(sides) == 300
    assert all(len(names) == 1 for names in sides.values())
    assert 0.7 < manifest["splits"]["train"] / manifest["pairs"] < 0.9


def test_filters_are_counted_and_can_be_switched_off(tmp_path: Path) -> None:
    dump = small(tmp_path, "a.xml", edited("The mill was old then.", "The mill is old then."))
    assert harvest([dump], tmp_path / "a")["counts"]["levenshtein"] == 1
    off = HarvestSettings(without=frozenset({"levenshtein", "grammar"}))
    manifest = harvest([dump], tmp_path / "b", off)
    assert (manifest["pairs"], manifest["settings"]["without"]) == (1, ["grammar", "levenshtein"])
    with pytest.raises(UnknownName, match=r"no filter named 'levenstein'\. Did you mean 'levenshtein'"):
        HarvestSettings(without=frozenset({"levenstein"}))


def test_bad_parts_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    good = small(tmp_path, "good.xml", edited(*PAIR))
    cut = small(
        tmp_path,
        "cut.xml",
        edited(SLANTED.replace("mill", "dam"), NEUTRAL.replace("mill", "dam")),
        edited(*PAIR),
    )
    cut.write_text(cut.read_text()[:-700])
    new = Dump([PageOf(edited(*PAIR))], version="0.99").write(tmp_path / "new.xml")
    broken = tmp_path / "broken.xml.bz2"
    broken.write_bytes(b"BZh91AY&SY not at all")
    out = tmp_path / "out"
    paths = [good, cut, new, broken, tmp_path / "gone.xml"]
    result = CliRunner().invoke(
        main, ["harvest", *map(str, paths), "--output", str(out)], standalone_mode=False
    )
    assert result.return_value == 2
    problems = {
        problem["part"]: problem["reason"]
        for problem in json.loads((out / "manifest.json").read_text())["problems"]
    }
    assert problems == {
        "cut.xml": "damaged",
        "new.xml": "unknown schema",
        "broken.xml.bz2": "damaged",
        "gone.xml": "unreadable",
    }
    assert sorted(texts(out)) == sorted(
        [PAIR, (SLANTED.replace("mill", "dam"), NEUTRAL.replace("mill", "dam"))]
    )
    assert all(name in result.stderr for name in problems)


def test_odd_pages_are_counted(tmp_path: Path) -> None:
    long = "word " * 400_000
    history = [
        Rev(None), Rev(LEAD, "NPOV"), Rev(LEAD + "{{" * 5000, "NPOV"), Rev(long, None), Rev(long + "x", "NPOV"),
        *edited(*PAIR),
    ]  # fmt: skip
    manifest = harvest([small(tmp_path, "a.xml", history)], tmp_path / "out")
    assert texts(tmp_path / "out") == [PAIR]
    wanted = ("suppressed text", "suppressed comment", "too large", "markup only")
    assert {name: manifest["counts"].get(name) for name in wanted} == dict.fromkeys(wanted, 1)


def test_a_finished_part_is_not_read_again_and_a_changed_one_is(tmp_path: Path) -> None:
    dump = small(tmp_path, "a.xml", edited(*PAIR))
    harvest([dump], tmp_path / "out")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "parts").iterdir()}
    harvest([dump], tmp_path / "out")
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "parts").iterdir()} == before
    small(tmp_path, "a.xml", edited(*PAIR), edited("The lovely dam is big.", "The dam is big."))
    assert harvest([dump], tmp_path / "out")["pairs"] == 2


def test_a_part_that_fails_is_tried_again_reported_and_left_for_the_next_run(tmp_path: Path) -> None:
    good = small(tmp_path, "good.xml", edited(*PAIR))
    bad = small(tmp_path, "bad.xml", edited("The lovely dam is big.", "The dam is big."), first=50)
    out = tmp_path / "out"
    blocked = PartTask(str(bad), str((out / "parts").resolve()), HarvestSettings().to_dict()).rows
    (blocked / "in the way").mkdir(parents=True)
    manifest = harvest([good, bad], out)
    assert [(problem["part"], problem["reason"]) for problem in manifest["problems"]] == [
        ("bad.xml", "failed")
    ]
    assert texts(out) == [PAIR]
    (blocked / "in the way").rmdir()
    blocked.rmdir()
    manifest = harvest([good, bad], out)
    assert (manifest["problems"], manifest["pairs"]) == ([], 2)


def test_a_sentence_without_end_is_too_large_to_compare(tmp_path: Path) -> None:
    dump = small(tmp_path, "a.xml", edited("very " * 3000 + "old.", "very " * 2900 + "old."))
    assert harvest([dump], tmp_path / "out")["counts"]["too large"] == 1


def test_the_order_of_the_parts_does_not_matter(tmp_path: Path) -> None:
    parts = [
        small(
            tmp_path,
            f"h{place}.xml",
            edited(*(text.replace("mill", f"mill {place % 7}") for text in PAIR)),
            first=place * 50,
        )
        for place in range(1, 12)
    ]
    harvest(parts, tmp_path / "a")
    harvest(parts[::-1], tmp_path / "b", engine=Engine(workers=2))
    assert outputs(tmp_path / "a") == outputs(tmp_path / "b")
    with pytest.raises(HarvestError, match="given twice"):
        harvest([parts[0], parts[0]], tmp_path / "c")


def _command(dumps: Sequence[Path], out: Path) -> list[str]:
    return [sys.executable, "-m", "unslant", "harvest", *map(str, dumps), "--output", str(out)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SRC)}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four parts with pairs made up here."""
    folder = tmp_path_factory.mktemp("generated")
    words = "mill dam tower bridge market garden school museum harbour library".split()
    paths = []
    for part in range(4):
        pairs = [
            (
                f"The wonderful {word} number {part}{place} draws crowds.",
                f"The {word} number {part}{place} draws crowds.",
            )
            for place in range(3)
            for word in words
        ]
        paths.append(folder / f"wiki-history{part + 1}.xml")
        made = generate_dump(paths[-1], pairs, 0, seed=part + 1)
        assert len(made.planted) == 30
    return paths


def test_generated_dumps_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    pairs = [("The lovely mill is old.", "The mill is old.")]
    first, second, third = (tmp_path / name for name in "abc")
    made = [
        generate_dump(path, pairs, 200_000, seed=seed) for path, seed in ((first, 5), (second, 5), (third, 6))
    ]
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()
    assert made[0].bytes >= 200_000
    assert not is_plantable("The [[mill]] is old.", "The mill is old.")


def test_generated_pairs_are_found_and_nothing_else(tmp_path: Path, generated: list[Path]) -> None:
    manifest = harvest(generated, tmp_path / "out")
    found = texts(tmp_path / "out")
    assert len(found) == len(set(found)) == 120
    assert all(source.replace("wonderful ", "") == target for source, target in found)
    left_out = (
        "bot",
        "revert",
        "self-revert",
        "one-block",
        "table",
        "references",
        "suppressed comment",
        "suppressed text",
    )
    assert [name for name in left_out if not manifest["counts"].get(name)] == []


def test_killed_at_any_moment_the_result_is_the_same(tmp_path: Path, generated: list[Path]) -> None:
    start = time.monotonic()
    subprocess.run(
        _command(generated, tmp_path / "calm"), check=True, capture_output=True, env=_environment()
    )
    takes = time.monotonic() - start
    chance = random.Random(7)
    for attempt in range(4):
        process = subprocess.Popen(
            _command(generated, tmp_path / "killed"),
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(takes * chance.uniform(0.2, 0.95) / (1 + attempt % 2))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(
        _command(generated, tmp_path / "killed"), check=True, capture_output=True, env=_environment()
    )
    assert outputs(tmp_path / "killed") == outputs(tmp_path / "calm")
    assert list((tmp_path / "killed").rglob("*.tmp")) == []


def _start_until_it_works(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a run and return while a worker writes; on a busy machine the whole run may pass unseen."""
    for _ in range(10):
        process = subprocess.Popen(
            command,
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while process.poll() is None:
            if list(folder.rglob("*.tmp")):
                return process
            time.sleep(0.001)
        assert process.returncode == 0
        shutil.rmtree(folder / "out")
    pytest.fail("no run was seen at work")


def test_workers_leave_with_a_run_that_is_killed(tmp_path: Path, generated: list[Path]) -> None:
    process = _start_until_it_works([*_command(generated, tmp_path / "out"), "--workers", "2"], tmp_path)
    process.kill()
    process.wait()
    for _ in range(30_000):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)
    else:
        pytest.fail("workers are left behind")
    assert harvest(generated, tmp_path / "out")["pairs"] == 120


def test_two_runs_do_not_write_to_one_place(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path),
        pytest.raises(HarvestError, match="another harvest is writing there"),
        lock_folder(tmp_path, 0.1),
    ):
        pass
    with lock_folder(tmp_path, 0.1):
        assert (tmp_path / ".lock").is_file()


def test_a_full_disk_is_named_and_the_next_run_goes_on(tmp_path: Path, generated: list[Path]) -> None:
    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    out = tmp_path / "out"
    result = subprocess.run(
        _command(generated[:1], out),
        env=_environment(),
        capture_output=True,
        text=True,
        preexec_fn=little_room,
    )
    assert result.returncode == 2
    assert "the disk is full; make room and run the same command again" in result.stderr
    assert "Traceback" not in result.stderr
    assert harvest(generated[:1], out)["pairs"] == 30


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    dump = small(tmp_path, "a.xml", edited(*PAIR))
    out = tmp_path / "out"
    result = CliRunner().invoke(main, ["harvest", str(dump), "--output", str(out)])
    assert result.output.startswith(f"1 pairs in {out}")
    result = CliRunner().invoke(
        main, ["harvest", str(dump), "--output", str(out), "--output-format", "json", "--disable", "bot"]
    )
    assert json.loads(result.output)["settings"]["without"] == ["bot"]
    result = CliRunner().invoke(main, ["harvest", str(dump), "--output", str(out), "--comments", "de"])
    assert "the wiki is in 'en', but the list of comments is for 'de'; set --comments" in result.stderr
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = CliRunner().invoke(
        main, ["harvest", str(dump), "--output", str(blocked / "x")], standalone_mode=False
    )
    assert "give a folder that can be written to" in str(result.exception)
