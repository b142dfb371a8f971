"""Makes everything again that ships with unslant, in order, from the corpora and from trained networks.

A step reads what the steps before it made, never what ships. ``DIR/unslant`` is laid out as the package is, and
``DIR/release.json`` says what each step was made from: a step is run again only if that has changed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

import unslant
from unslant import acceptance, genre, records
from unslant.acceptance import Acceptance
from unslant.core.errors import ConfigError, ModelError
from unslant.core.files import make_folder, read_json, write_atomic, write_text
from unslant.lab import corpora
from unslant.lab.corpora.catalogue import data_folders
from unslant.lab.corpora.editor import CALIBRATION, EDITOR, MarkedPassage, read_natural, read_passages
from unslant.lab.detector.acceptance import Candidate, collect, fit, install
from unslant.lab.detector.genre import fit_genre, read_genre_passages
from unslant.lab.edits.training import EditFit, fit_model, write_edits
from unslant.lab.edits.verdicts import is_frozen, judged_edits, read_verdicts, supporting_edits
from unslant.lab.evaluation.findings import measure_bounds
from unslant.lab.evaluation.result import attach
from unslant.lab.evaluation.rules import count_records, judge_rules
from unslant.lab.model_card import CORPORA as CARD_CORPORA
from unslant.lab.model_card import QUICK_TASKS, TASKS, card_blocks, changed_figures, measure_task, put_blocks
from unslant.neural.checkpoint import load_package, shipped_model
from unslant.records import Records
from unslant.rewriter.package import ABOUT as REWRITER_ABOUT
from unslant.rewriter.package import load_rewriter, shipped_rewriter
from unslant.spec import TIERS, Spec

if TYPE_CHECKING:
    from unslant.edits.model import EditModel

Progress = Callable[[str, int, int], None]

_PACKAGE = Path(unslant.__file__).parent
"""Where everything ships."""
_DOCS = _PACKAGE.parents[1] / "docs"
_PAGE = "model-card.md"
_VERDICTS = ("fix-verdicts.jsonl", "wording-verdicts.jsonl")
_DETECTOR, _EDITS, _REWRITER = "neural/weights", "edits/weights", "rewriter/weights"
_RECIPES = {"detector": "default", "rewriter": "wordings"}
_SURFACES = ("cli", "editor", "integrations", "report", "server", "tables", "weights", "workspace")
"""Folders whose code makes no difference to what is trained or measured, and those of weights."""
_LAB = ("corpora", "detector", "edits", "evaluation", "rewriters", "stats")
"""Folders of the lab whose code does."""
_CODE = (".py", ".toml", ".txt")
_TENTH = 10
_SHOWN = 60
"""Characters of a value that are shown."""


def count_rule_records(data: Path | None) -> tuple[str, str]:
    """Count how often editors accept the findings of each rule; return the records as they ship, and a sentence."""
    passages = list(read_passages(corpora.load(EDITOR, data), "train"))
    content, said = _count_records(passages)
    if Records.parse(content).rules.keys() != records.shipped_records().rules.keys():
        # a rule without a record is taken for the user's own, which is also reported where others are not
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.json"
            write_text(path, content)
            with _standing_in(path, genre.PATH):
                content, said = _count_records(passages)
    return content, said


def _count_records(passages: Sequence[MarkedPassage]) -> tuple[str, str]:
    judged = judge_rules(passages)
    accepted = sum(item.accepted for item in judged)
    content = json.dumps(count_records(judged).to_dict(), indent=1) + "\n"
    return content, f"{len(judged):,} findings, {accepted:,} of them accepted"


def fit_acceptance(package: Path, data: Path | None) -> tuple[list[Candidate], Acceptance]:
    """Fit how likely editors accept findings, and install it in the package of a detector; return what it learned from.

    Then what each value of ``--threshold`` gives is measured on the development part.
    """
    examples = list(corpora.load(EDITOR, data))
    spec = Spec(analyzers=TIERS["all"], model=str(package))
    # with a regression in place, even an empty one, the model returns the spans that the product scores
    install(Acceptance({}), package)
    passages = [*read_passages(examples, CALIBRATION), *read_natural(data_folders(data))]
    candidates = list(collect(passages, replace(spec, threshold=0.0)))
    coefficients = fit(candidates)
    install(Acceptance(coefficients), package)
    fitted = Acceptance(coefficients, bounds=measure_bounds(list(read_passages(examples, "dev")), spec))
    install(fitted, package)
    return candidates, fitted


def fit_edits(
    verdicts: Sequence[Path], data: Path | None, output: Path, *, spec: Spec, seed: int, progress: Progress
) -> EditModel:
    """Fit the model of edits and its policy, and write them to a folder."""
    rows = [row for row in read_verdicts(verdicts) if not is_frozen(str(row["document"]))]
    judged = judged_edits(rows, data, spec, progress)
    model, lines = fit_model(judged, list(supporting_edits(data, spec, progress)), EditFit(seed=seed))
    write_edits(model, lines, output)
    return model


@dataclass(frozen=True, slots=True)
class ReleaseStep:
    """What is made, from what."""

    name: str
    makes: str
    """The file or folder of the release that it writes."""
    make: Callable[[Release], str]
    """Makes it, and returns a sentence about it."""
    after: tuple[str, ...] = ()
    """The steps whose results it reads."""
    corpora: tuple[str, ...] = ()
    verdicts: bool = False
    """Whether it reads the verdicts on edits."""


@dataclass(frozen=True)
class Release:
    """A folder in which everything that ships is made again."""

    folder: Path
    data: Path | None = None
    """The folder of the corpora; None: the usual places."""
    model: Path | None = None
    """The package of the detector; None: the one that the folder has from before, else the one that ships."""
    rewriter: Path | None = None
    """The package of the rewriter, in the same way."""
    train: bool = False
    """Whether detector and rewriter are trained by their recipes instead."""
    quick: bool = False
    """Whether a tenth of the corpora is used: this tries every step, and the results are of no use."""
    progress: Progress = lambda *_: None

    def run(self, *, card: bool, say: Callable[[str], None]) -> None:
        """Run every step whose inputs have changed, in order; ``card`` includes the figures of the model card."""
        missing = next((name for name in _VERDICTS if not (_DOCS / name).is_file()), None)
        if missing is not None:
            raise ConfigError(
                f"a release is made in a checkout of unslant, and {_DOCS} has no {missing}; install unslant from the "
                "checkout with: pip install -e ."
            )
        make_folder(self.folder / "unslant")
        for step in STEPS:
            if step.name == "card" and not card:
                continue
            inputs = self.inputs(step)
            if self._is_done(step, inputs):
                say(f"{step.name}: as before")
                continue
            with _standing_in(*(self._in_place_of(path) for path in (records.PATH, genre.PATH))):
                said = step.make(self)
            self._remember(step, inputs)
            say(f"{step.name}: {said}")
        self.assemble()

    def differences(self) -> list[str]:
        """Return a sentence for each artefact that is not the one that ships."""
        made = self.folder / "unslant"
        found = []
        for name in sorted({*_files(made), *(name for name in _files(_PACKAGE) if _is_artefact(name))}):
            said = _difference(made / name, _PACKAGE / name)
            if said:
                found.append(f"src/unslant/{name} does not come out as it ships: {said}")
        page = _DOCS / _PAGE
        if self.blocks.is_file() and page.is_file():
            changed = changed_figures(page.read_text("utf-8"), read_json(self.blocks))
            if changed:
                found.append(
                    f"docs/{_PAGE} has other figures, in {len(changed)} lines; the first should be: {changed[0]}"
                )
        return found

    def write(self) -> list[str]:
        """Put everything into the checkout that this code runs from; return the files that have changed."""
        made, changed = self.folder / "unslant", []
        for name in _files(made):
            target = _PACKAGE / name
            if not target.is_file() or target.read_bytes() != (made / name).read_bytes():
                make_folder(target.parent)
                write_atomic(target, (made / name).read_bytes())
                changed.append(f"src/unslant/{name}")
        for name in _files(_PACKAGE):
            if _is_artefact(name) and not (made / name).is_file():
                (_PACKAGE / name).unlink()
                changed.append(f"src/unslant/{name} (removed)")
        page = _DOCS / _PAGE
        if self.blocks.is_file():
            before = page.read_text("utf-8")
            after = put_blocks(before, read_json(self.blocks))
            if before != after:
                write_text(page, after)
                changed.append(f"docs/{_PAGE}")
        return changed

    def card(self) -> str:
        """Return the tables of the model card, if they were measured."""
        return "\n".join(read_json(self.blocks).values()) if self.blocks.is_file() else ""

    def artefact(self, name: str) -> Path:
        """Return the place of an artefact, laid out as in the package."""
        return self.folder / "unslant" / name

    def part(self, name: str) -> Path:
        """Return the place of what is not shipped itself, but goes into something that is."""
        return self.folder / "parts" / name

    @property
    def spec(self) -> Spec:
        """The settings with the detector of this release."""
        return Spec(model=str(self.artefact(_DETECTOR)))

    @cached_property
    def texts(self) -> Path | None:
        """The folder of the corpora that the steps read; for a quick release one with a tenth of the texts."""
        return _make_small(data_folders(self.data), self.part("data")) if self.quick else self.data

    def assemble(self) -> Path:
        """Put detector, acceptance and figures together, as they ship; return the folder."""
        package = self.artefact(_DETECTOR)
        if package.is_dir():
            shutil.rmtree(package)
        shutil.copytree(self.part("detector"), package)
        fitted = self.part(acceptance.FILE)
        if fitted.is_file():
            install(Acceptance.parse(fitted.read_bytes()), package)
        results = sorted(self.part("card").glob("*.json"))
        if results and not self.quick:
            attach(package, results)
        return package

    @property
    def blocks(self) -> Path:
        """The file with the tables of the model card."""
        return self.part("card/blocks") / "blocks.json"

    @property
    def _state(self) -> dict[str, Any]:
        path = self.folder / "release.json"
        found = read_json(path) if path.is_file() else {}
        return found if isinstance(found, dict) else {}

    def inputs(self, step: ReleaseStep) -> str:
        """Return a digest of everything that a step is made from."""
        state = self._state
        known: dict[str, Any] = {"quick": self.quick}
        if step.name in _RECIPES:
            known["package"] = self._named(step)
        else:
            known["code"] = code_digest()
        known["after"] = {name: state[name]["outputs"] for name in step.after if name in state}
        known["corpora"] = {name: self._corpus(name) for name in step.corpora}
        if step.verdicts:
            known["verdicts"] = [_digest(_DOCS / name) for name in _VERDICTS]
        return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()

    def _named(self, step: ReleaseStep) -> str:
        """Return the digest of the package that a step takes; the one that it took before if none is named."""
        named = self.model if step.name == "detector" else self.rewriter
        about = "model.json" if step.name == "detector" else REWRITER_ABOUT
        if self.train:
            return f"trained by {_RECIPES[step.name]}"
        if named is not None:
            return _digest(named / about)
        return self.package_before(step.name)

    def package_before(self, name: str) -> str:
        """Return the digest of the package that the detector or the rewriter was taken from in an earlier run."""
        return str(self._state.get(name, {}).get("package", ""))

    def _corpus(self, name: str) -> dict[str, str]:
        folder = next((root / name for root in data_folders(self.data) if (root / name).is_dir()), None)
        return {path.name: _digest(path) for path in sorted(folder.iterdir())} if folder else {}

    def _is_done(self, step: ReleaseStep, inputs: str) -> bool:
        known = self._state.get(step.name)
        return (
            known is not None and known["inputs"] == inputs and known["outputs"] == _digests(self._made(step))
        )

    def _made(self, step: ReleaseStep) -> Path:
        return self.folder / step.makes

    def _remember(self, step: ReleaseStep, inputs: str) -> None:
        entry = {"inputs": inputs, "outputs": _digests(self._made(step))}
        if step.name in _RECIPES:
            entry["package"] = self._named(step)
        content = json.dumps({**self._state, step.name: entry}, indent=1) + "\n"
        write_atomic(self.folder / "release.json", content.encode())

    def _in_place_of(self, shipped: Path) -> Path:
        made = self.artefact(shipped.name)
        return made if made.is_file() else shipped


@contextmanager
def _standing_in(of_records: Path, of_genre: Path) -> Iterator[None]:
    """Let the package read these records and this model of genres in place of those that ship."""
    kept = records.PATH, genre.PATH
    try:
        records.PATH, genre.PATH = of_records, of_genre
        _forget()
        yield
    finally:
        records.PATH, genre.PATH = kept
        _forget()


def _forget() -> None:
    records.load_records.cache_clear()
    genre.load_weights.cache_clear()


def code_digest() -> str:
    """Return a digest of the code that decides what is trained and measured."""
    whole = hashlib.sha256()
    for path in sorted(chain.from_iterable(_PACKAGE.rglob(f"*{ending}") for ending in _CODE)):
        places = path.relative_to(_PACKAGE).parts
        outside = places[0] == "lab" and len(places) > 2 and places[1] not in _LAB
        if not outside and not set(places) & set(_SURFACES):
            whole.update("/".join(places).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _given(name: str, option: str, named: Path | None, shipped: Path | None, release: Release) -> Path | None:
    """Return the package to take: never silently another one than before."""
    if named is None and not release.train and release.package_before(name):
        raise ConfigError(
            f"{release.folder} has lost the {name} that it was given; name it again with {option}"
        )
    return named or shipped


def _take_detector(release: Release) -> str:
    """Copy a package without its acceptance, which is fitted anew."""
    given = _given("detector", "--model", release.model, shipped_model(), release)
    folder, said = given, "taken as given"
    if release.train:
        folder, said = _train_detector(release), "trained"
    if folder is None:
        raise ModelError("no model ships with this build of unslant; name one with --model, or add --train")
    package = load_package(folder)
    package.verify()
    target = release.part("detector")
    if target.is_dir():
        shutil.rmtree(target)
    make_folder(target)
    for name in package.files.keys() - {acceptance.FILE}:
        shutil.copyfile(folder / name, target / name)
    about = read_json(folder / "model.json", ModelError)
    about["files"].pop(acceptance.FILE, None)
    write_atomic(target / "model.json", (json.dumps(about, indent=1) + "\n").encode())
    recipe = package.card().get("recipe", {}).get("about", "without a card")
    return f"{said}, {package.files['model.onnx'][:16]}…, {recipe}"


def _train_detector(release: Release) -> Path:
    from unslant.lab.detector.export import export
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.detector.run import TrainSettings, train

    run = release.part("runs/detector")
    settings = TrainSettings(data=release.texts, resume=True, progress=release.progress)
    return export(train(read_recipe(_RECIPES["detector"]), run, settings), run / "package")


def _take_rewriter(release: Release) -> str:
    given = _given("rewriter", "--rewriter", release.rewriter, shipped_rewriter(), release)
    folder, said = given, "taken as given"
    if release.train:
        folder, said = _train_rewriter(release), "trained"
    if folder is None:
        return "none is given, and none ships"
    package = load_rewriter(folder)
    target = release.artefact(_REWRITER)
    if target.is_dir():
        shutil.rmtree(target)
    make_folder(target)
    for name in package.files:
        write_atomic(target / name, package.read(name))
    shutil.copyfile(folder / REWRITER_ABOUT, target / REWRITER_ABOUT)
    return f"{said}, {package.identity[:16]}…"


def _train_rewriter(release: Release) -> Path:
    from unslant.lab.detector.run import TrainSettings
    from unslant.lab.rewriters.recipe import RewriterRecipe, read_any_rewriter
    from unslant.lab.rewriters.wording_export import export_wordings
    from unslant.lab.rewriters.wording_run import train_wordings

    run, recipe = release.part("runs/rewriter"), read_any_rewriter(_RECIPES["rewriter"])
    if isinstance(recipe, RewriterRecipe):
        raise ConfigError(f"the recipe {_RECIPES['rewriter']!r} is not one of a rewriter of marked words")
    settings = TrainSettings(data=release.texts, resume=True, progress=release.progress)
    return export_wordings(train_wordings(recipe, run, settings), run / "package")


def _make_records(release: Release) -> str:
    target = release.artefact("records.json")
    content, said = count_rule_records(release.texts)
    write_text(target, content)
    return said


def _make_genre(release: Release) -> str:
    passages = read_genre_passages(data_folders(release.texts)[0])
    write_text(release.artefact("genre.json"), fit_genre(passages))
    held_out = sum(passage.held_out for passage in passages)
    return f"{len(passages) - held_out:,} passages, {held_out:,} held out"


def _make_acceptance(release: Release) -> str:
    release.part(acceptance.FILE).unlink(missing_ok=True)
    package = release.assemble()
    candidates, _ = fit_acceptance(package, release.texts)
    shutil.copyfile(package / acceptance.FILE, release.part(acceptance.FILE))
    accepted = sum(candidate.accepted for candidate in candidates)
    return f"fitted on {len(candidates):,} findings, {accepted:,} of them accepted"


def _make_edits(release: Release) -> str:
    release.assemble()
    verdicts = [_DOCS / name for name in _VERDICTS]
    target = release.artefact(_EDITS)
    model = fit_edits(verdicts, release.texts, target, spec=release.spec, seed=0, progress=release.progress)
    return ", ".join(f"{name} {value:,}" for name, value in model.about.items())


def _make_card(release: Release) -> str:
    """Measure one task after the other; a task that was measured before with the same inputs is kept."""
    package, target = release.assemble(), release.part("card")
    make_folder(release.blocks.parent)
    mark, inputs = release.blocks.with_name("inputs"), release.inputs(STEPS[-1])
    if not mark.is_file() or mark.read_text("utf-8") != inputs:
        for path in target.glob("*.json"):
            path.unlink()
        write_text(mark, inputs)
    tasks = QUICK_TASKS if release.quick else TASKS
    results: dict[str, Mapping[str, Any]] = {}
    for task in tasks:
        path = target / f"{task.replace(' ', '-')}.json"
        if not path.is_file():
            measured = measure_task(task, package, release.texts, release.progress, quick=release.quick)
            write_atomic(path, (json.dumps(measured.to_dict(), indent=1) + "\n").encode())
        results[task] = read_json(path)
    made = f"network `{load_package(package).files['model.onnx'][:16]}…`, acceptance `"
    made += f"{_digest(package / acceptance.FILE)[:16]}…`, code `{code_digest()[:16]}…`"
    write_text(release.blocks, json.dumps(card_blocks(results, made), indent=1) + "\n")
    return f"{len(tasks)} measurements"


STEPS = (
    ReleaseStep("detector", "parts/detector", _take_detector),
    ReleaseStep("records", "unslant/records.json", _make_records, corpora=(EDITOR,)),
    ReleaseStep(
        "genre",
        "unslant/genre.json",
        _make_genre,
        corpora=(EDITOR, "genres", "job_ads", "corporate", "npov", "allsides"),
    ),
    ReleaseStep(
        "acceptance",
        f"parts/{acceptance.FILE}",
        _make_acceptance,
        after=("detector", "records", "genre"),
        corpora=(EDITOR, "allsides"),
    ),
    ReleaseStep("rewriter", f"unslant/{_REWRITER}", _take_rewriter),
    ReleaseStep(
        "edits",
        f"unslant/{_EDITS}",
        _make_edits,
        after=("detector", "records", "genre", "acceptance"),
        corpora=(EDITOR, "editor_active", "contrast", "contrast_senses", "edits", "allsides"),
        verdicts=True,
    ),
    ReleaseStep(
        "card",
        "parts/card",
        _make_card,
        after=("detector", "records", "genre", "acceptance"),
        corpora=CARD_CORPORA,
    ),
)
"""All steps, in order."""


def _is_artefact(name: str) -> bool:
    folders = (_DETECTOR, _EDITS, _REWRITER)
    return name in ("records.json", "genre.json") or any(name.startswith(f"{folder}/") for folder in folders)


def _files(folder: Path) -> list[str]:
    """Return the artefacts below a folder, by their names in it."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in found if _is_artefact(name))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _digests(place: Path) -> dict[str, str]:
    """Return the digest of a file, or of every file below a folder."""
    paths = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    return {path.relative_to(place.parent).as_posix(): _digest(path) for path in paths}


def _difference(made: Path, shipped: Path) -> str:
    """Say how two versions of a file differ; nothing if they do not."""
    if not shipped.is_file():
        return "it does not ship yet"
    if not made.is_file():
        return "nothing makes it"
    if made.read_bytes() == shipped.read_bytes():
        return ""
    if made.suffix not in (".json", ".toml"):
        return f"its SHA-256 is {_digest(made)[:16]}…, not {_digest(shipped)[:16]}…"
    ours, theirs = _leaves(made), _leaves(shipped)
    changed = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    said = []
    if changed:
        first = changed[0]
        values = " and not ".join(str(side[first])[:_SHOWN] for side in (ours, theirs))
        said.append(f"{len(changed):,} of {len(ours):,} values differ, the first is {first}: {values}")
    for names, what in ((ours.keys() - theirs.keys(), "new"), (theirs.keys() - ours.keys(), "gone")):
        if names:
            said.append(f"{len(names):,} {'is' if len(names) == 1 else 'are'} {what}, such as {min(names)}")
    return "; ".join(said)


def _leaves(path: Path) -> dict[str, Any]:
    """Return every value of a JSON or TOML file by its place, without digests of files that are compared anyway."""
    content = path.read_text("utf-8")
    found: dict[str, Any] = {}

    def walk(value: Any, place: str) -> None:
        if isinstance(value, dict | list):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for name, inside in items:
                walk(inside, f"{place}.{name}" if place else str(name))
        elif not place.startswith("files."):
            found[place] = value

    walk(tomllib.loads(content) if path.suffix == ".toml" else json.loads(content), "")
    return found


def _make_small(places: Sequence[Path], folder: Path) -> Path:
    """Copy a tenth of the rows of every corpus that a quick release reads."""
    names = {name for step in STEPS if step.name != "card" for name in step.corpora} | {"wikibias"}
    for name in sorted(names):
        source = next((place / name for place in places if (place / name).is_dir()), None)
        if source is None:
            continue
        make_folder(folder / name)
        for path in sorted(source.iterdir()):
            if ".jsonl" in path.suffixes:
                with _open(path, "rt") as rows, _open(folder / name / path.name, "wt") as kept:
                    # neighbours stay together, because they may be a pair
                    kept.writelines(row for at, row in enumerate(rows) if at // 2 % _TENTH == 0)
    return folder


def _open(path: Path, mode: str) -> IO[Any]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    stream: IO[Any] = opened(path, mode, encoding="utf-8")
    return stream
