"""What a researcher types by mistake gets one sentence, at once, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run

__all__ = ["folder", "run"]


@pytest.fixture(autouse=True)
def _no_corpora(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNSLANT_DATA", str(tmp_path / "none"))


ROWS: list[tuple[str, str]] = [
    # a command, and what its message says
    ("data show wikibais", "Did you mean"),
    ("data stats nothing.csv", "nothing.csv"),
    ("data verify wikibias", "wikibias"),
    ("data overlap wikibias", "name at least two corpora"),
    ("data split own.csv --parts train=0.8", "add up to 1"),
    ("data split own.csv --parts train", "NAME=SHARE"),
    ("data stats own.csv --column text", "FIELD=COLUMN"),
    ("data stats own.csv --label yes=2", "VALUE=1, VALUE=0 or VALUE="),
    ("agree nothing.csv", "neither a file, a folder nor a corpus"),
    ("agree own.csv --column item", "FIELD=COLUMN"),
    ("agree own.csv --level high", "'high' is not one of"),
    ("aggregate own.csv --rule all", "'all' is not one of"),
    ("annotate export edits nothing.csv out", "no such file"),
    ("annotate export essays own.csv out", "'essays' is not one of"),
    ("annotate export edits own.csv out --paragraphs 8", "questionnaire only"),
    ("annotate import nothing export.json --output out.jsonl", "manifest.json is missing"),
    ("annotate report nothing export.json", "manifest.json is missing"),
    ("train detector", "Missing argument 'RECIPE'"),
    ("train detector nothing --output out", "nothing"),
    ("train rewriter nothing --output out", "nothing"),
    ("train judge --output out --finetune", "name one with --encoder"),
    ("train judge --output out --encoder e --articles 100", "add --finetune"),
    ("train judge --output out --recurrent --encoder e", "leave out one of --recurrent and --encoder"),
    ("train judge --output out --split half", "'half' is not one of"),
    ("train debiaser mock:demo", "does not expose its hidden states"),
    ("evaluate tagging --model nothing", "no such model"),
    ("evaluate tagging --model own", "contains no model"),
    ("evaluate nothing", "No such command"),
    ("evaluate findings --part all", "'all' is not one of"),
    ("evaluate fixes --show 5", "--edits goes with --show"),
    ("evaluate fixes --articles 5", "go with --show"),
    ("evaluate fixes --verdicts nothing.jsonl", "does not exist"),
    ("evaluate card own result.json", "has no readable card"),
    ("evaluate rewrite --system nothing", "no such system"),
    ("evaluate rewrite --system copy --system copy", "is named twice"),
    ("audit run nothing.gguf", "no such GGUF file"),
    ("audit run mock:demo --suite nothing", "nothing"),
    ("audit run mock:demo --judge nothing", "there is no such folder"),
    ("audit run mock:demo --sweep much", "write numbers of 0 or more"),
    ("audit run mock:demo --guide classifier", "write MODE=PATH"),
    ("audit run mock:demo --target little", "write a number above 0"),
    ("audit run mock:demo --set liberal", "liberal"),
    ("audit run mock:demo --precision bfloat16", "only a local model has a --precision"),
    ("audit compare one", "at least two runs"),
    ("audit estimate nothing --margin 0.01", "nothing"),
    ("audit likelihood mock:demo --context here", "write NAME=TEXT"),
    ("audit likelihood mock:demo --pairs nothing", "nothing"),
    ("audit paired mock:demo --requests nothing", "nothing"),
    ("audit plant mock:demo --output out", "its weights cannot be changed"),
    ("audit power nothing", "nothing"),
    ("generate mock:demo", "Missing option '--prompt' or '--prompts'"),
    ("generate mock:demo --prompts nothing.txt", "nothing.txt"),
    ("generate nothing.gguf --prompt Hello", "no such GGUF file"),
    ("harvest --output out", "name a DUMP, or use --api with --page"),
    ("harvest nothing.xml --output out", "nothing.xml"),
    ("harvest own.csv --output out --splits train=1,dev=-1", "--splits: the shares of"),
    ("harvest own.csv --output out --disable everything", "no filter named 'everything'"),
    ("harvest own.csv --output out --comments xx", "xx"),
    ("harvest --api nowhere --page A --contact a@b --output out", "not the address of an API"),
    ("label nothing.parquet", "there is no file"),
    ("label own.csv", "source and target"),
    ("label own.csv --parser best", "must be auto, none or spacy:MODEL"),
    ("probe", "name either a MODEL or an --analyzer"),
    ("probe mock:demo --analyzer rules", "name either a MODEL or an --analyzer"),
    ("probe mock:demo --shots many", "numbers of 0 or more"),
    ("probe mock:demo --task everything", "is not one of"),
    ("reproduce", "name a paper"),
    ("reproduce nothing", "nothing"),
    ("reproduce babe table-99", "table-99"),
]


@pytest.mark.parametrize(("command", "message"), ROWS, ids=[row[0] for row in ROWS])
def test_a_mistake_is_named(run: Run, folder: Path, command: str, message: str) -> None:
    (folder / "own.csv").write_text("text,label\nA sentence.,1\n")
    (folder / "own").mkdir()
    result = run(*command.split())
    assert result.code == 2, result
    assert message in " ".join(result.err.split()), result.err
    assert "Traceback" not in result.err
    assert not (folder / "out").is_file()
