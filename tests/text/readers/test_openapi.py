"""OpenAPI descriptions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .reading import blocks, comments, parsed, words

YAML = """\
openapi: 3.1.0
# a comment
info:
  title: The plan API  # another
  description: |
    # Head

    An *old* API, see `plan`.

      - item
  x-note: plan
paths:
  /plan:
    get:
      summary: 'A plan'
      description: "Quoted text
        goes on"
      parameters:
        - description: >-
            Folded text
            here.
          name: plan
          example:
            description: plan
          schema:
            properties:
              description:
                type: string
                description: A plain
                  value.
              title: {type: string}
tags: []
"""


def test_yaml() -> None:
    assert blocks("openapi", YAML) == [
        "The plan API",
        "Head",
        "An old API, see .",
        "item",
        "A plan",
        "Quoted text goes on",
        "Folded text here.",
        "A plain value.",
    ]
    assert comments("openapi", YAML) == ["# a comment"]


def test_json() -> None:
    source = json.dumps(
        {
            "info": {"title": "The API", "description": "An *old* API.\n\nSecond."},
            "paths": {
                "/plan": {"summary": ["no"], "example": {"description": "no"}, "default": {"title": "no"}}
            },
            "components": {"properties": {"title": {"type": "string", "description": "A title."}}},
            "tags": [{"name": "no", "description": "A tag."}],
        }
    )
    assert blocks("openapi", source) == ["The API", "An old API.", "Second.", "A title.", "A tag."]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("description: &anchor text\n", ""),
        ("description: *alias\n", ""),
        ("description:\n  type: string\n", ""),
        ("- description: Text\n  name: no\n", "Text"),
        ('"description": Text\n', "Text"),
        ("description: Text # comment\n", "Text"),
        ("description: C#\n", "C#"),
        ("descriptions: no\n", ""),
        ("description: |\n  One\n\n  Two\nname: no\n", "One Two"),
        ("enum:\n  - description: no\ndescription: Text\n", "Text"),
    ],
)
def test_values_in_yaml(source: str, expected: str) -> None:
    assert words("openapi", source) == expected


@given(st.dictionaries(st.sampled_from(["description", "name", "summary", "x"]), st.text(max_size=30)))
def test_prose_comes_from_values_for_prose_only(data: dict[str, str]) -> None:
    source = json.dumps(data, ensure_ascii=False)
    prose = parsed("openapi", source).prose
    for key, value in data.items():
        if key in ("name", "x"):
            at = source.index(json.dumps(value, ensure_ascii=False), source.index(f'"{key}":'))
            assert not prose[at : at + len(json.dumps(value, ensure_ascii=False))].strip()
