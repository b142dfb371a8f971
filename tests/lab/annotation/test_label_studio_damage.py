"""Whatever is done to an export, it is read or refused with one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.lab.annotation.reading import read_annotations
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.corpora.tables import CorpusError

EXPORT = [
    {
        "id": 1,
        "data": {"text": "An odd film", "batch": 1},
        "annotations": [
            {
                "completed_by": {"id": 3},
                "result": [
                    {
                        "id": "r",
                        "type": "labels",
                        "from_name": "marks",
                        "to_name": "text",
                        "value": {"start": 3, "end": 6, "text": "odd", "labels": ["a"]},
                    },
                    {"id": "r", "type": "choices", "from_name": "kind", "value": {"choices": ["x"]}},
                    {"type": "relation", "from_id": "r", "to_id": "r"},
                ],
            }
        ],
    }
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        found += places(child, (*path, key))
    return found


@given(st.sampled_from(places(EXPORT)), st.sampled_from([None, 7, -1, "x", [], {}, [1], {"a": 1}, True, 1.5]))
@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_damaged_export_is_read_or_refused(tmp_path: Path, place: tuple[Any, ...], value: Any) -> None:
    tasks = json.loads(json.dumps(EXPORT))
    inner = tasks
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    found: list[Annotation] = []
    refusal = "export.json"
    try:
        found = read_annotations(path)
    except CorpusError as error:
        refusal = str(error)
    assert "export.json" in refusal
    assert all(item.span is None or item.span.end <= len(item.text) for item in found)
