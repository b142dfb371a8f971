"""`unslant check`, from arguments to an exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from .conftest import Run

SLANTED = "The senator slammed the plan.\n"
NEUTRAL = "The senator criticized the plan.\n"


def findings(run: Run, *arguments: str, stdin: bytes = b"") -> list[tuple[str, str]]:
    result = run("check", "--tier", "rules", "--output-format", "jsonl", *arguments, stdin=stdin)
    assert result.code in (0, 1), result.err
    reports = [json.loads(line) for line in result.out.splitlines()]
    return [
        (report["document"]["id"], finding["text"]) for report in reports for finding in report["findings"]
    ]


def test_a_clean_file_is_exit_0_and_a_slanted_one_exit_1(run: Run, folder: Path) -> None:
    (folder / "clean.txt").write_text(NEUTRAL)
    (folder / "slanted.txt").write_text(SLANTED)
    assert run("check", "clean.txt").code == 0
    result = run("check", "slanted.txt")
    assert result.code == 1
    assert "1:13" in result.out
    assert "slammed" in result.out
    assert "criticized" in result.out
    assert result.err == ""


@pytest.mark.parametrize(
    ("severity", "failing"),
    [("suggestion", {"suggestion"}), ("warning", {"suggestion", "warning", "default"})],
)
def test_fail_on_decides_what_fails(run: Run, folder: Path, severity: str, failing: set[str]) -> None:
    (folder / "unslant.toml").write_text(f'[severity]\n"framing/attack-verb" = "{severity}"\n')
    (folder / "a.txt").write_text(SLANTED)
    (found,) = json.loads(run("check", "--output-format", "jsonl", "a.txt").out)["findings"]
    assert found["severity"] == severity
    assert run("check", "a.txt").code == int("default" in failing)
    for least in ("suggestion", "warning", "error", "never"):
        assert run("check", "--fail-on", least, "a.txt").code == int(least in failing)


def test_folders_globs_and_gitignore(run: Run, folder: Path) -> None:
    for name in ("a.md", "sub/b.txt", "sub/c.html", "sub/data.csv", "out/d.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SLANTED)
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("out/\n")
    assert [path for path, _ in findings(run, ".")] == ["a.md", "sub/b.txt", "sub/c.html"]
    assert [path for path, _ in findings(run, "**/*.txt")] == ["sub/b.txt"]
    assert [path for path, _ in findings(run, "--exclude", "sub/", ".")] == ["a.md"]
    assert [path for path, _ in findings(run, "--input-format", "text", "sub/data.csv")] == ["sub/data.csv"]
    refused = run("check", "sub/data.csv")
    assert (refused.code, refused.out.count("slammed")) == (2, 0)
    assert "'sub/data.csv' is a table, not prose" in refused.err
    assert "unslant score sub/data.csv --column" in refused.err


def test_standard_input_takes_its_format_from_a_name(run: Run) -> None:
    source = b"`slammed` and They slammed it."
    assert findings(run, "-", stdin=source) == [("<stdin>", "slammed"), ("<stdin>", "slammed")]
    assert findings(run, "-", "--stdin-name", "x.md", stdin=source) == [("x.md", "slammed")]
    assert findings(run, "-", "--input-format", "markdown", stdin=source) == [("<stdin>", "slammed")]


def test_select_and_ignore(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("Clearly, they slammed it.\n")
    assert [text for _, text in findings(run, "a.txt")] == ["Clearly", "slammed"]
    assert [text for _, text in findings(run, "--select", "framing", "a.txt")] == ["slammed"]
    assert [text for _, text in findings(run, "--ignore", "framing/*,gender", "a.txt")] == ["Clearly"]


def test_quotations_are_left_alone_by_default(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text('"They slammed us," she said.\n')
    assert findings(run, "a.txt") == []
    assert len(findings(run, "--quotations", "a.txt")) == 1


def test_an_inline_ignore_with_a_reason_and_one_that_ignores_nothing(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(
        "They slammed it. <!-- unslant: ignore framing -- the club's own word -->\n\n"
        "The shop opens at nine. <!-- unslant: ignore framing -- left over -->\n"
    )
    result = run("check", "a.md")
    assert result.code == 0
    assert "matches no finding" in result.out
    assert "3:25" in result.out


def test_the_sample_ships_and_is_worth_looking_at(run: Run) -> None:
    result = run("check", "--sample")
    assert result.code == 1
    for kind in ("framing", "epistemological", "demographic"):
        assert kind in result.out


def test_every_bad_input_is_one_sentence_and_the_rest_is_checked(run: Run, folder: Path) -> None:
    (folder / "good.txt").write_text(SLANTED)
    (folder / "latin.txt").write_bytes(b"The caf\xe9 is open.\n")
    (folder / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (folder / "empty.txt").write_text("")
    (folder / "loop.txt").symlink_to("loop.txt")
    bad = ("missing.txt", "latin.txt", "picture.txt", "loop.txt", "*.nope")
    result = run("check", *bad, "empty.txt", "good.txt")
    assert result.code == 2
    assert "slammed" in result.out
    lines = result.err.splitlines()
    assert len(lines) == len(bad)
    for name in bad:
        assert (
            sum(
                line.startswith((f"unslant: {name!r}", f"unslant: no file matches {name!r}"))
                for line in lines
            )
            == 1
        )
    assert "Traceback" not in result.err


def test_a_file_that_is_too_large_is_refused_by_name(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text("max-bytes = 10\n")
    (folder / "big.txt").write_text(SLANTED)
    result = run("check", "big.txt")
    assert result.code == 2
    assert "big.txt" in result.err
    assert "max-bytes" in result.err


def test_a_broken_configuration_names_the_line_and_the_nearest_key(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text('fail-on = "error"\nselct = ["framing"]\n')
    result = run("check", "a.txt")
    assert result.code == 2
    assert "unslant.toml:2" in result.err
    assert "'select'" in result.err


def test_a_bad_pattern_in_a_rule_file_is_named_and_other_folders_are_still_checked(
    run: Run, folder: Path
) -> None:
    (folder / "broken").mkdir()
    (folder / "broken" / "unslant.toml").write_text('rule-files = ["house.toml"]\n')
    (folder / "broken" / "house.toml").write_text(
        'version = 1\n[[rule]]\nid = "framing/house"\ntitle = "House"\nkind = "framing"\nwhy = "W."\nsource = "us"\n'
        'terms = ["(all|most"]\nflags = []\npasses = []\n'
    )
    for name in ("broken/a.txt", "broken/b.txt", "fine.txt"):
        (folder / name).write_text(SLANTED)
    result = run("check", "broken/a.txt", "broken/b.txt", "fine.txt")
    assert result.code == 2
    assert "slammed" in result.out
    (line,) = result.err.splitlines()
    assert "house.toml" in line
    assert "never closed" in line


def test_own_vocabulary_and_rules(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text(
        'rule-files = ["house.toml"]\n[vocabulary]\naccept = ["slammed"]\nflag = ["synergy"]\n'
        '[vocabulary.suggest]\n"utilise" = "use"\n'
    )
    (folder / "house.toml").write_text(
        'version = 1\n[[rule]]\nid = "framing/house"\ntitle = "House"\nkind = "framing"\nwhy = "W."\nsource = "us"\n'
        'terms = ["quuxed"]\nflags = ["It quuxed."]\npasses = ["It ran."]\n'
    )
    (folder / "a.txt").write_text("They slammed, quuxed and utilise Synergy.\n")
    report = json.loads(run("check", "--output-format", "jsonl", "a.txt").out)
    assert [(finding["rule"], finding["text"]) for finding in report["findings"]] == [
        ("framing/house", "quuxed"),
        ("vocabulary/suggest", "utilise"),
        ("vocabulary/flag", "Synergy"),
    ]
    assert report["findings"][1]["edits"][0]["replacement"] == "use"


def test_show_config_says_where_each_value_came_from(run: Run, folder: Path) -> None:
    (folder / "unslant.toml").write_text("quotations = true\n")
    result = run("check", "--show-config", "--select", "framing")
    assert result.code == 0
    assert "unslant.toml:1" in result.out
    assert "--select" in result.out
    assert "default" in result.out


def test_colour_is_off_in_a_pipe_and_can_be_requested(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(SLANTED)
    assert "\x1b[" not in run("check", "a.txt").out
    assert "\x1b[" in run("check", "--color", "always", "a.txt").out


def test_output_goes_to_a_file(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(SLANTED)
    result = run("check", "--output", "report.html", "--output-format", "html", "a.txt")
    assert (result.code, result.out) == (1, "")
    assert "slammed" in (folder / "report.html").read_text("utf-8")
    assert result.err == "report.html: 1 finding in 1 file\n"
    assert run("check", "--quiet", "--output", "report.txt", "a.txt").err == ""
    assert run("check", "--output", "no/such/folder", "a.txt").code == 2


def test_neither_model_nor_rules_are_loaded_for_a_file_that_the_cache_knows(folder: Path) -> None:
    (folder / "a.txt").write_text(SLANTED)
    late = {"numpy", "onnxruntime", "tokenizers", "nupunkt", "unslant.pipeline", "unslant.rules.analyzer"}
    script = (
        "import sys; from unslant.cli.main import _run; code = _run(['check', 'a.txt']);"
        f"print(sorted({late} & set(sys.modules)), code, file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def check() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )

    first, second = check(), check()
    assert first.stderr.strip() == f"{sorted(late)} 1"
    assert second.stderr.strip() == "[] 1"
    assert second.stdout == first.stdout


def test_the_same_text_under_another_name_is_judged_by_the_standard_of_that_name(
    run: Run, folder: Path
) -> None:
    text = "Unfortunately, the controversial plan was obviously a legendary one.\n"
    for name in ("README.md", "story.md"):
        (folder / name).write_text(text)
    fresh = {name: findings(run, "--no-cache", name) for name in ("README.md", "story.md")}
    assert [text for _, text in fresh["README.md"]] != [text for _, text in fresh["story.md"]]
    for name in ("README.md", "story.md", "README.md"):
        assert (
            run("check", "--output-format", "jsonl", name).out
            == run("check", "--no-cache", "--output-format", "jsonl", name).out
        )


@pytest.mark.torch
def test_a_model_that_cannot_be_used_is_reported_for_every_file_that_the_cache_does_not_know(
    run: Run, folder: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(SLANTED)
    result = run("check", "--analyzer", "hf:absent", "a.txt", "b.txt")
    assert result.code == 2
    assert "absent" in result.err
    assert result.out.count("slammed") == 0


def test_a_second_run_gives_the_same_from_the_cache(run: Run, folder: Path) -> None:
    (folder / "a.txt").write_text(SLANTED * 5000)
    first = run("check", "--tier", "rules", "--output-format", "json", "a.txt")
    assert list((folder.parent / "cache").rglob("*.json"))
    assert run("check", "--tier", "rules", "--output-format", "json", "a.txt") == first
    assert run("check", "--tier", "rules", "--output-format", "json", "--no-cache", "a.txt") == first
    (folder / "a.txt").write_text(NEUTRAL)
    assert run("check", "a.txt").code == 0


def test_many_files_in_parallel_come_in_the_same_order_as_one_by_one(run: Run, folder: Path) -> None:
    text = SLANTED + "Plain words fill the page. " * 9000
    for number in range(12):
        (folder / f"{number:02}.txt").write_text(text if number % 3 else NEUTRAL)
    (folder / "05.txt").write_bytes(b"\xff\xfe\xff")
    arguments = ("check", "--tier", "rules", "--no-cache", "--output-format", "json", ".")
    result = run(*arguments, "--jobs", "1")
    two = run(*arguments, "--jobs", "2")
    assert result.code == two.code == 2
    assert json.loads(result.out) == json.loads(two.out)
    assert result.err == two.err


@contextmanager
def _start(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a check in a process group of its own; nothing of it outlives the test, even one that fails."""
    with subprocess.Popen(
        [sys.executable, "-m", "unslant", "check", "--tier", "rules", "--no-cache", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        start_new_session=True,
        # whoever runs the tests in the background may ignore interrupts; a check started by hand does not
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _all_end(group: int) -> bool:
    """Wait for the workers too: they notice a moment later that the process that started them is gone."""
    for _ in range(3_000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted_it_ends_at_once_with_what_was_found(folder: Path, jobs: str) -> None:
    (folder / "a.txt").write_text(SLANTED + "x. " * 500_000)
    big = "The senator slammed the plan of the other party again. " * 400_000
    for name in ("b.txt", "c.txt"):
        (folder / name).write_text(big)
    arguments = ("--jobs", jobs, "--output-format", "jsonl", "a.txt", "b.txt", "c.txt")
    with _start(folder, *arguments) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert json.loads(first)["findings"][0]["text"] == "slammed"
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=300)
        assert _all_end(process.pid)
    assert process.returncode == 3
    assert rest == "", "the other files take much longer than the interrupt"


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    (folder / "a.txt").write_text(SLANTED * 20_000)
    with _start(folder, "a.txt") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        error = process.stderr.read()
        process.wait(timeout=300)
    assert error == ""


def test_statistics_are_counts_in_text_or_json(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text("The legendary singer slammed the plan.\n")
    result = run("check", "--tier", "rules", "--statistics", "a.md")
    assert result.code == 1
    assert "Findings by rule" in result.out
    assert json.loads(run("check", "--tier", "rules", "--statistics", "--output-format", "json", "a.md").out)[
        "files"
    ]
    refused = run("check", "--statistics", "--output-format", "sarif", "a.md")
    assert (refused.code, refused.out) == (2, "")
    assert "--statistics is written as text or json" in refused.err


def test_one_line_per_finding(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text("The legendary singer slammed the plan.\n")
    lines = run("check", "--tier", "rules", "--output-format", "concise", "a.md").out.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["a.md:1:5", "a.md:1:22"]


def test_what_is_left_alone_is_shown_with_the_reason(run: Run) -> None:
    text = 'The hall. "It is a shameful thing," he said.'
    result = run("check", "--tier", "rules", "--show-skipped", "--text", text)
    assert "left alone, quoted or posted by somebody else" in result.out
    assert "left alone" not in run("check", "--tier", "rules", "--text", text).out
    record = json.loads(
        run("check", "--tier", "rules", "--show-skipped", "--output-format", "jsonl", "--text", text).out
    )
    assert [(each["span"]["start"], each["reason"]) for each in record["skipped"]] == [(10, "quotation")]
    for form in ("html", "sarif", "github"):
        shown = run("check", "--tier", "rules", "--show-skipped", "--output-format", form, "--text", text).out
        assert "left alone, quoted or posted by somebody else" in shown, form
    refused = run("check", "--show-skipped", "--output-format", "csv", "--text", text)
    assert (refused.code, "text, json, jsonl, html" in refused.err) == (2, True)


def test_a_passage_in_another_language_is_mentioned_once(run: Run) -> None:
    german = (
        "Dies ist ein ganz furchtbarer Plan, den niemand haben will und der offensichtlich scheitern wird."
    )
    result = run("check", "--tier", "rules", "--show-skipped", "--text", f"The hall is old.\n\n{german}\n")
    assert (result.out.count("German"), result.out.count("left alone")) == (1, 0)
