"""``unslant fix`` as a user runs it."""

from __future__ import annotations

import codecs
import json
import os
import stat
import subprocess
from pathlib import Path

import click
import pytest

import unslant
from unslant.edits.fixer import Fixer
from unslant.workspace.files import open_text

from .conftest import Run

pytestmark = pytest.mark.usefixtures("trusting")

SLANTED = "The legendary singer slammed the plan.\n"
NEUTRAL = "The singer criticized the plan.\n"
RULES = ("--tier", "rules", "--no-config")


def _file(name: str = "a.txt", text: str = SLANTED) -> Path:
    path = Path(name)
    path.write_text(text, "utf-8", newline="")
    return path


def test_a_diff_is_shown_and_nothing_is_written(run: Run) -> None:
    path = _file()
    result = run("fix", *RULES, "a.txt")
    assert result.code == 1
    assert "The [-legendary-] singer [-slammed-]{+criticized+} the plan." in result.out
    assert "framing/attack-verb" in result.out
    assert "Nothing was written" in result.out
    assert path.read_text() == SLANTED
    colored = run("fix", *RULES, "--color", "always", "a.txt").out
    assert "\x1b[31;9mslammed\x1b[0m \x1b[32mcriticized\x1b[0m" in colored


def test_writing_makes_the_safe_edits_once(run: Run) -> None:
    path = _file()
    result = run("fix", *RULES, "--write", "a.txt")
    assert (result.code, result.err) == (0, "")
    assert "2 edits applied in 1 file" in result.out
    assert path.read_text() == NEUTRAL
    again = run("fix", *RULES, "--write", "a.txt")
    assert again.code == 0
    assert "0 edits applied in 0 files" in again.out


def test_edits_to_look_at_are_made_only_when_asked(run: Run) -> None:
    path = _file(text="The elderly were not consulted.\n")
    result = run("fix", *RULES, "--write", "--fail-on", "suggestion", "a.txt")
    assert result.code == 1
    assert "1 edit needs review" in result.out
    assert "--unsafe" in result.out
    assert path.read_text() == "The elderly were not consulted.\n"
    assert run("fix", *RULES, "--write", "--unsafe", "--fail-on", "suggestion", "a.txt").code == 0
    assert path.read_text() == "Older people were not consulted.\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_encoding_mark_line_ends_and_permissions_stay(run: Run, mark: bytes, encoding: str) -> None:
    path = Path("a.txt")
    text = "Ünï: the plan.\r\n\r\nThe legendary singer slammed the plan.\rEnd \n"
    path.write_bytes(mark + text.encode(encoding))
    path.chmod(0o640)
    assert run("fix", *RULES, "--write", "a.txt").code == 0
    expected = text.replace("legendary ", "").replace("slammed", "criticized")
    assert path.read_bytes() == mark + expected.encode(encoding)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [path.name for path in Path().iterdir()] == ["a.txt"]


def test_a_read_only_file_is_refused(run: Run) -> None:
    path = _file()
    _file("b.txt")
    path.chmod(0o444)
    result = run("fix", *RULES, "--write", "a.txt", "b.txt")
    assert result.code == 2
    assert "'a.txt' is read-only" in result.err
    assert path.read_text() == SLANTED
    assert Path("b.txt").read_text() == NEUTRAL


def test_a_file_that_changed_in_the_meantime_is_refused(folder: Path) -> None:
    for changed in (SLANTED + "More.\n", SLANTED.upper(), "x"):
        path = _file(str(folder / "a.txt"))
        opened = open_text(path, 1000)
        path.write_text(changed)
        with pytest.raises(unslant.InputError, match="changed since it was checked"):
            opened.write(NEUTRAL)
        assert path.read_text() == changed


def test_standard_input_goes_to_standard_output(run: Run) -> None:
    result = run("fix", *RULES, "--write", "-", stdin=SLANTED.encode())
    assert (result.code, result.out) == (0, NEUTRAL)
    shown = run("fix", *RULES, "-", stdin=SLANTED.encode())
    assert shown.code == 1
    assert "[-slammed-]" in shown.out


def test_selected_rules_alone_are_fixed(run: Run) -> None:
    path = _file()
    run("fix", *RULES, "--write", "--select", "framing/attack-verb", "a.txt")
    assert path.read_text() == "The legendary singer criticized the plan.\n"


def test_only_prose_changes_in_markup(run: Run) -> None:
    source = (
        "# Legendary `legendary`\n\n<!-- legendary -->\n"
        "The [legendary singer](legendary.md) **slammed** the plan of the old town council.\n"
    )
    path = _file("a.md", source)
    run("fix", *RULES, "--write", "a.md")
    assert path.read_text() == source.replace("[legendary singer]", "[singer]").replace(
        "slammed", "criticized"
    )


def test_json_holds_the_edits_and_how_they_came_about(run: Run) -> None:
    _file()
    result = json.loads(run("fix", *RULES, "--output-format", "json", "a.txt", "none.txt").out)
    assert result["schema"] == "unslant/fixes/1"
    assert [error["path"] for error in result["errors"]] == ["none.txt"]
    assert result["summary"]["safe"] == 2
    (fixed,) = result["fixes"]
    assert fixed["text"] == NEUTRAL
    assert not fixed["written"]
    edit = fixed["edits"][1]
    assert edit["replacement"] == "criticized"
    assert (edit["applicability"], edit["source"]) == ("safe", "rules")
    line = json.loads(run("fix", *RULES, "--output-format", "jsonl", "a.txt").out)
    assert line == fixed


def test_sarif_holds_the_fixes_with_their_verdicts(run: Run) -> None:
    _file()
    log = json.loads(run("fix", *RULES, "--output-format", "sarif", "a.txt").out)
    fixes = [fix for result in log["runs"][0]["results"] for fix in result["fixes"]]
    assert [fix["description"]["text"] for fix in fixes] == [
        "Delete “legendary” (safe).",
        "Write “criticized” (safe).",
    ]
    change = fixes[1]["artifactChanges"][0]
    assert change["artifactLocation"]["uri"] == "a.txt"
    assert change["replacements"][0]["insertedContent"]["text"] == "criticized"


def test_a_mistake_is_reported_in_one_sentence(run: Run) -> None:
    _file()
    assert "Did you mean" in run("fix", *RULES, "--rewriter", "nome", "a.txt").err
    assert run("fix", *RULES, "--budget", "7", "a.txt").code == 2
    assert "name at least one" in run("fix", *RULES, "--interactive", "-").err
    assert "cannot be changed in place" in run("fix", *RULES, "--write", "--sample").err
    missing = run("fix", *RULES, "non.txt")
    assert missing.code == 2
    assert "'non.txt' does not exist" in missing.err


def test_asking_about_each_edit(run: Run) -> None:
    path = _file()
    result = run("fix", *RULES, "--interactive", "a.txt", stdin=b"z\ns\na\n")
    assert result.code == 0
    assert "one of the letters" in result.out
    assert path.read_text() == "The legendary singer criticized the plan.\n"


def test_another_suggestion_a_wording_by_hand_and_an_ignore(run: Run) -> None:
    path = _file("a.md", "The mailman left.\n\nThe legendary man left.\n\nThe iconic man left.\n")
    answers = "o\na\ne\nold\nc\n\nit is the name of a film\n"
    result = run("fix", *RULES, "--interactive", "a.md", stdin=answers.encode())
    assert result.code == 0, result.err
    first, second, third = path.read_text().strip().split("\n\n")
    assert first == "The letter carrier left."
    assert second == "The old man left."
    assert (
        third
        == "The iconic man left. <!-- unslant: ignore framing/promotional -- it is the name of a film -->"
    )
    assert unslant.check(path.read_text(), format="markdown").findings == ()


def test_quitting_keeps_what_was_decided(run: Run) -> None:
    path = _file(text="The legendary singer slammed the plan.\n\nThe brilliant singer left the stage.\n")
    quit_early = run("fix", *RULES, "--interactive", "a.txt", stdin=b"a\ns\nq\n")
    assert "run the command again to continue here" in quit_early.out
    assert path.read_text() == "The singer slammed the plan.\n\nThe brilliant singer left the stage.\n"
    second = run("fix", *RULES, "--interactive", "a.txt", stdin=b"a\n")
    assert "1 to decide" in second.out
    assert path.read_text() == "The singer slammed the plan.\n\nThe singer left the stage.\n"
    third = run("fix", *RULES, "--interactive", "a.txt", stdin=b"a\n")
    assert "1 to decide" in third.out
    assert path.read_text() == "The singer criticized the plan.\n\nThe singer left the stage.\n"


def test_the_command_and_the_library_agree(run: Run) -> None:
    path = _file()
    run("fix", *RULES, "--write", "a.txt")
    spec = unslant.Spec(analyzers=("rules",))
    (fixed,) = Fixer(spec).fix([unslant.read(SLANTED)])
    assert path.read_text() == fixed.text == unslant.fix(SLANTED, spec=spec).text


def test_the_options_of_check_work_here_too(run: Run, folder: Path) -> None:
    _file()
    result = run("fix", *RULES, "--output", "edits.json", "--output-format", "json", "--quiet", "a.txt")
    assert (result.code, result.out) == (1, "")
    assert json.loads((folder / "edits.json").read_text("utf-8"))["summary"]["safe"] == 2
    assert "--threshold" in run("fix", "--show-config", "--threshold", "0.7").out
    quoted = _file("b.txt", '"The singer slammed the plan," she said.\n')
    assert "[-slammed-]" not in run("fix", *RULES, str(quoted)).out
    assert "[-slammed-]" in run("fix", *RULES, "--quotations", str(quoted)).out


def test_check_and_fix_share_their_options() -> None:
    from unslant.cli.check import check
    from unslant.cli.fix import fix

    def names(command: click.Command) -> set[str]:
        return {parameter.opts[-1] for parameter in command.params}

    assert names(check) - names(fix) == {
        "--baseline",
        "--jobs",
        "--no-cache",
        "--verbose",
        "--show-skipped",
        "--show-source",
        "--code",
        "--statistics",
    }
    assert names(fix) - names(check) == {
        "--diff",
        "--write",
        "--interactive",
        "--unsafe",
        "--rewriter",
        "--budget",
    }


def test_suggestions_for_a_pull_request_are_about_changed_lines(run: Run, folder: Path) -> None:
    old = "Unfortunately, the mill closed in May, and the owner sold it.\n"
    (folder / "a.md").write_text(old)
    identity = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=folder, check=True, env=os.environ | identity)
    (folder / "a.md").write_text(old + "\nUnfortunately, the road along the old canal closed in June.\n")
    review = ("fix", "--tier", "rules", "--output-format", "github-review", "a.md")
    assert [one["line"] for one in json.loads(run(*review).out)["comments"]] == [1, 3]
    (comment,) = json.loads(run(*review, "--since", "HEAD").out)["comments"]
    assert comment["body"].endswith("```suggestion\nThe road along the old canal closed in June.\n```")
    refused = run("fix", "--since", "HEAD", "--write", "a.md")
    assert (refused.code, "--since is for reports" in refused.err) == (2, True)


def test_a_text_of_the_command_line_is_reworded(run: Run, folder: Path) -> None:
    shown = run("fix", *RULES, "--text", SLANTED)
    assert (shown.code, "[-legendary-]" in shown.out) == (1, True)
    written = run("fix", *RULES, "--write", "--text", SLANTED)
    assert written.out == unslant.fix(SLANTED, spec=unslant.Spec(analyzers=("rules",))).text
    assert list(folder.iterdir()) == []
    assert "not both" in run("fix", "--text", "a", "b.md").err
    assert "needs files" in run("fix", "--interactive", "--text", "a").err


def test_a_language_model_is_asked_where_one_is_named(run: Run, folder: Path) -> None:
    from tests.lab.lm.scripted import scripted_server

    (folder / "a.txt").write_text("The legendary singer left the stage on Monday.\n")
    with scripted_server() as model:
        model.say = lambda _: '{"1": ["well-known", "singing"]}'
        options = ("fix", "--tier", "rules", "--rewriter", f"llm:{model.address}")
        shown = run(*options, "a.txt")
        assert "well-known" in shown.out
        run(*options, "--write", "a.txt")
        assert "well-known" not in (folder / "a.txt").read_text()
    gone = run(*options, "a.txt")
    assert gone.code == 2
    assert "nobody answers; start the server, or correct the address." in gone.err
