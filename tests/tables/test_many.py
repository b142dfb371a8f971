"""Many texts from Python: every kind of column, data frames, and clear errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant import Spec, UnslantError

RULES = Spec(analyzers=("rules",))
TEXTS = ["The legendary singer slammed the plan.", "The committee met."]


def counts(texts: Any) -> list[int]:
    return [len(report.findings) for report in unslant.check_many(texts, spec=RULES)]


def test_every_kind_of_column() -> None:
    assert counts(TEXTS) == [2, 0]
    assert counts(iter(TEXTS)) == [2, 0]
    assert counts(()) == []
    import pyarrow

    assert counts(pyarrow.array(TEXTS)) == [2, 0]
    assert counts(pyarrow.chunked_array([TEXTS])) == [2, 0]


@pytest.mark.pandas
def test_a_frame_keeps_the_index_of_a_column() -> None:
    import pandas

    column = pandas.Series(TEXTS, index=["a", "b"])
    reports = unslant.check_many(column, spec=RULES)
    frame = reports.to_frame()
    assert list(frame.index) == ["a", "b"]
    assert list(frame["findings"]) == [2, 0]
    found = reports.to_frame(findings=True)
    assert list(found["text"]) == ["legendary", "slammed"]
    assert list(found["row"]) == [0, 0]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ("one text", "use unslant.check"),
        (7, "not int"),
        (["a", None], "text 1 is None"),
        ([float("nan")], "float"),
        (b"bytes", "not bytes"),
        ([b"bytes"], "text 0 is bytes, not str; decode it first"),
        ([TEXTS], "text 0 is list"),
        ([{"text": "a"}], "text 0 is dict"),
        ({"id": [1], "text": TEXTS}, "one column of texts, not dict; choose one of: 'id', 'text'"),
        (set(TEXTS), "in an order, not set"),
    ],
)
def test_a_wrong_type_is_one_sentence(texts: Any, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        unslant.check_many(texts, spec=RULES)


def test_a_table_in_place_of_a_column_is_refused() -> None:
    """Iterating over a frame gives the names of its columns, which were checked in place of the texts."""
    import pyarrow

    with pytest.raises(UnslantError, match="one column of texts, not Table; choose one of: 'id', 'text'"):
        unslant.check_many(pyarrow.table({"id": [1, 2], "text": TEXTS}), spec=RULES)


@pytest.mark.pandas
def test_a_frame_in_place_of_a_column_is_refused() -> None:
    import pandas

    frame = pandas.DataFrame({"id": [1, 2], "text": TEXTS})
    with pytest.raises(UnslantError, match="not DataFrame; choose one of: 'id', 'text'"):
        unslant.check_many(frame, spec=RULES)
    assert counts(frame["text"]) == [2, 0]


def test_an_arrow_table_has_typed_columns_even_where_all_values_are_missing() -> None:
    table = unslant.check_many(TEXTS, spec=RULES).to_arrow()
    assert table.column("findings").to_pylist() == [2, 0]
    assert str(table.schema.field("probability").type) == "double"
    assert unslant.check_many(TEXTS, spec=RULES).to_arrow(findings=True).column("text").to_pylist() == [
        "legendary",
        "slammed",
    ]


def test_processes_give_the_same_reports_in_order() -> None:
    texts = [f"{TEXTS[number % 2]} Number {number}." for number in range(150)]
    alone = unslant.check_many(texts, spec=RULES)
    several = unslant.check_many(texts, spec=RULES, n_jobs=2)
    assert [report.to_dict() for report in several] == [report.to_dict() for report in alone]


def test_processes_do_not_run_a_script_again(tmp_path: Path) -> None:
    """A plain script, without a guard for ``__main__``."""
    script = tmp_path / "mine.py"
    script.write_text(
        "import unslant\n"
        "print('begins', flush=True)\n"
        f"reports = unslant.check_many({TEXTS!r} * 40, spec=unslant.Spec(analyzers=('rules',)), n_jobs=2)\n"
        "print(sum(len(report.findings) for report in reports))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["begins", "80"]


def test_progress_is_told_as_it_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    done: list[int] = []
    unslant.check_many(TEXTS, spec=RULES, progress=done.append)
    assert done == [1, 2]
    unslant.check_many(TEXTS, spec=RULES, progress=True)
    assert "checked 2 of 2 texts" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5])
def test_a_wrong_number_of_processes_is_one_sentence(jobs: Any) -> None:
    with pytest.raises(UnslantError, match="n_jobs must be a number of processes"):
        unslant.check_many(TEXTS, spec=RULES, n_jobs=jobs)


def test_a_notebook_shows_the_text_with_findings_marked_and_everything_escaped() -> None:
    text = "A <b>legendary</b> & 'slammed' singer."
    report = unslant.check(text, spec=RULES)
    shown = report._repr_html_()
    assert ">legendary</mark>" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    import re
    from html import unescape

    assert unescape(re.sub(r"<[^>]*>", "", shown)) == text
    many = unslant.check_many([text] * 25, spec=RULES)._repr_html_()
    assert many.count("<tr>") == 21
    assert "and 5 more texts" in many


def test_one_text_must_be_a_text() -> None:
    for call in (unslant.check, unslant.fix):
        with pytest.raises(UnslantError, match="the text is int, not str"):
            call(7, spec=RULES)  # type: ignore[arg-type, operator]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"select": ("framing/prase-adjective",)}, "did you mean 'framing/praise-adjective'"),
        ({"ignore": ("nothing/*",)}, "no rule, kind or dimension"),
        ({"select": ["framing"]}, "Spec.select=…. is list, not a tuple"),
        ({"select": "framing"}, r"write select=\('framing',\)"),
        ({"threshold": 3}, "from 0 to 1"),
        ({"threshold": "high"}, "from 0 to 1"),
        ({"uncertain": (0.4,)}, "two numbers"),
        ({"budget": -1}, "from 0 to 1"),
    ],
)
def test_a_wrong_spec_is_one_sentence(fields: dict[str, Any], said: str) -> None:
    spec = Spec(**{"analyzers": ("rules",), **fields})
    for call in (unslant.check, unslant.fix):
        with pytest.raises(UnslantError, match=said):
            call("Fine.", spec=spec)  # type: ignore[operator]
    with pytest.raises(UnslantError, match=said):
        unslant.check_many(["Fine."], spec=spec)


def test_a_right_spec_is_accepted() -> None:
    spec = Spec(analyzers=("rules",), select=("framing/*", "gender"), ignore=("framing/attack-verb",))
    assert [finding.text for finding in unslant.check(TEXTS[0], spec=spec).findings] == ["legendary"]
