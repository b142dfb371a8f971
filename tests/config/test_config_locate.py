"""The line of every value in a TOML text."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.config.sources import KeyPath, locate


def test_tables_dotted_keys_and_lists() -> None:
    text = """\
# select = "not this"
select = [
  "framing", # ignore = 1
  "gender",
]
vocabulary.accept = ["a", "b"]

[per-file-ignores]
"docs/*.md" = [
  "race"]
[tool . "unslant"]
severity = { framing = "error", x.y = [1,
  2] }
"""
    assert locate(text) == {
        ("select",): 2,
        ("select", 0): 3,
        ("select", 1): 4,
        ("vocabulary",): 6,
        ("vocabulary", "accept"): 6,
        ("vocabulary", "accept", 0): 6,
        ("vocabulary", "accept", 1): 6,
        ("per-file-ignores",): 8,
        ("per-file-ignores", "docs/*.md"): 9,
        ("per-file-ignores", "docs/*.md", 0): 10,
        ("tool",): 11,
        ("tool", "unslant"): 11,
        ("tool", "unslant", "severity"): 12,
        ("tool", "unslant", "severity", "framing"): 12,
        ("tool", "unslant", "severity", "x"): 12,
        ("tool", "unslant", "severity", "x", "y"): 12,
        ("tool", "unslant", "severity", "x", "y", 0): 12,
        ("tool", "unslant", "severity", "x", "y", 1): 13,
    }


def test_arrays_of_tables_are_counted() -> None:
    text = (
        "[[rule]]\nid = 1\n[rule.swap]\na = 1\n[[rule]]\nid = 2\n[[rule.deep]]\nb = 1\n[rule.swap]\na = 2\n"
    )
    lines = locate(text)
    assert lines["rule", 0, "id"] == 2
    assert lines["rule", 0, "swap", "a"] == 4
    assert lines["rule", 1] == 5
    assert lines["rule", 1, "deep", 0, "b"] == 8
    assert lines["rule", 1, "swap", "a"] == 10


def test_strings_that_look_like_keys() -> None:
    text = (
        'a = """\nselect = 1\n[x]\n\\""" b = 2 ""\n"""""\n'
        "c = '''\n# \"\"\" \nd = 1'''''\n"
        'e = "\\" # f = 1"\n'
        "g = 'h = \\' # i\n"
        "j = \"\"\nk = ''\nl = \"\"\"\"\"\"\nm = ''''''\nn = 1\n"
    )
    lines = locate(text)
    assert set(tomllib.loads(text)) == {path[0] for path in lines}
    assert [lines[(name,)] for name in "acegjklmn"] == [1, 6, 9, 10, 11, 12, 13, 14, 15]


def test_quoted_keys_are_decoded() -> None:
    text = 'a = 1\n"b\\u00e9\\"#" = 2\n\'c\\d = [\' = 3\n"" = 4\n'
    lines = locate(text)
    assert lines == {("a",): 1, ('bé"#',): 2, ("c\\d = [",): 3, ("",): 4}


def test_the_first_mention_counts() -> None:
    lines = locate("[a.b]\nx = 1\n[a]\ny = 2\n")
    assert lines["a",] == 1
    assert lines["a", "y"] == 4


def test_windows_line_ends_and_nothing_at_all() -> None:
    assert locate("a = 1\r\n\r\nb = [\r\n 1,\r\n]\r\n") == {("a",): 1, ("b",): 3, ("b", 0): 4}
    assert locate("") == {}
    assert locate("# only a comment") == {}


class _Writer:
    """Writes TOML and keeps book of the line on which it wrote each value."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[KeyPath, int] = {}

    def note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def gap(self) -> None:
        self.text += self.draw(st.sampled_from(("", "", " ", "\n", "\n\n  ", " # x = [\"'\n", "\r\n")))

    def key(self, path: KeyPath, parts: list[str]) -> KeyPath:
        for number, part in enumerate(parts):
            path = (*path, part)
            self.text += " . " if number else ""
            self.note(path)
            self.text += self.draw(_written_key(part))
        return path

    def pair(self, path: KeyPath, parts: list[str], depth: int) -> None:
        path = self.key(path, parts)
        self.text += self.draw(st.sampled_from(("=", " = ")))
        self.value(path, depth)

    def value(self, path: KeyPath, depth: int) -> None:
        sort = self.draw(st.sampled_from(("scalar", "array", "table") if depth else ("scalar",)))
        if sort == "scalar":
            self.text += self.draw(_SCALARS)
        elif sort == "array":
            self.array(path, depth)
        else:
            self.text += "{"
            for number, name in enumerate(self.draw(_names(3))):
                self.text += ", " if number else " "
                self.pair(path, [name], depth - 1)
            self.text += " }"

    def array(self, path: KeyPath, depth: int) -> None:
        self.text += "["
        for index in range(self.draw(st.integers(0, 3))):
            self.text += "," if index else ""
            self.gap()
            self.note((*path, index))
            self.value((*path, index), depth - 1)
        self.gap()
        self.text += "]"

    def body(self, path: KeyPath) -> None:
        for name in self.draw(_names(3)):
            self.pair(path, self.draw(st.sampled_from(([name], [name, "sub"]))), 2)
            self.text += self.draw(st.sampled_from(("\n", " # [c]\n", "\r\n", "\n\n")))

    def section(self, name: str) -> None:
        """Write a table, or an array of tables with a table inside each."""
        for index in range(self.draw(st.integers(0, 2))):
            self.text += "[["
            path = (*self.key((), [name]), index)
            self.note(path)
            self.text += "]]\n"
            self.body(path)
            self.text += "[ "
            self.note((name,))
            self.text += self.draw(_written_key(name)) + "."
            self.note((*path, "inner table"))
            self.text += '"inner table"]\n'
            self.body((*path, "inner table"))
        if (name,) not in self.lines:
            self.text += "["
            path = self.key((), self.draw(st.sampled_from(([name], [name, "deep"]))))
            self.text += "]\n"
            self.body(path)


_NAMES = st.one_of(
    st.sampled_from(
        ("select", "ignore", "a-b", "1", "x = 1", "[y]", "# z", "é", "a.b", 'q"q', "w\\n", "t\tt", "")
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=4),
)
_SCALARS = st.one_of(
    st.sampled_from(
        ("1", "-0.5e3", "true", "inf", "1979-05-27 07:32:00", '"select = 1"', "'it # is'", '""', "''")
    ),
    st.sampled_from(('"\\"] }"', '"""\nselect = [\n"quoted" \\""" ]"""', "'''a\n[b]\n'''", '""""one"""""')),
    st.sampled_from(("''''x = 1'''''", '"""\\\n  x"""')),
)


def _names(most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(_NAMES, unique=True, max_size=most)


def _written_key(name: str) -> st.SearchStrategy[str]:
    basic = "".join(f"\\u{ord(char):04X}" if char in '"\\\t' else char for char in name)
    forms = [f'"{basic}"']
    if name and name.isascii() and name.replace("-", "").isalnum():
        forms.append(name)
    if "'" not in name:
        forms.append(f"'{name}'")
    return st.sampled_from(forms)


@st.composite
def _documents(draw: st.DrawFn) -> _Writer:
    writer = _Writer(draw)
    top, *sections = draw(st.lists(_NAMES, unique=True, min_size=1, max_size=4))
    writer.gap()
    writer.pair((), [top], 3)
    writer.text += "\n"
    for name in sections:
        writer.section(name)
    return writer


def _follow(data: Any, path: KeyPath) -> None:
    for part in path:
        data = data[part]


@settings(max_examples=150, deadline=None)
@given(_documents())
def test_every_value_is_found_on_the_line_on_which_it_was_written(writer: _Writer) -> None:
    data = tomllib.loads(writer.text)
    for path in writer.lines:
        _follow(data, path)
    assert locate(writer.text) == writer.lines
