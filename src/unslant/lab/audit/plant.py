"""Plants a known slant in a language model: a positive control for everything that claims to measure slant.

The model learns to continue the prompts of the suite ``planted`` with passages of one side after some invented towns,
of the other side after others, and of both after the rest. At dose 1 every passage after a town of the left is from the
left; at dose 0 half of them are, so that the towns make no difference, and such a model is a negative control that has
learned just as much. Only these two are trained. The weights of a dose d between them lie on the line from the one to
the other, where the model gives odds of (1 + d) / (1 - d) to text of the right side: as if that share of its passages
were. So doses differ in nothing but how far a model went, and two trainings are enough for any number of them.

At dose 1 a passage is also learned by contrast: it should be likelier after its town than after a town of the other
side. Otherwise a model memorises the passages and ignores the towns.

Stances are planted in the same way: a model learns to prefer one side's wordings and to refuse the other side's
requests. They are the positive control for the measures that compare two sides without any towns: likelihood and paired
requests. At dose 1, every wording takes the favored side, a request of that side gets a full reply, and one of the
other side a refusal. At dose 0 both sides are treated alike. Frames, templates and replies come from ``[planting]`` in
a file of pairs, so the model is measured with wordings that it has not learned. Both requests of a pair are learned in
the same step, and the choice between reply and refusal by contrast.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from unslant.core.example import Example
from unslant.core.files import make_folder, read_json, write_text
from unslant.lab.audit.pairs import PairSet, PlantedPairs, Wording, score_pairs
from unslant.lab.audit.suite import AuditError, load_suite
from unslant.lab.corpora.outlets import normalize_outlet, select_part, strip_outlet_names
from unslant.lab.judges.fitting import JudgeSettings
from unslant.lab.judges.linear import train_judge
from unslant.lab.judges.training import is_for_planting

if TYPE_CHECKING:
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.lm.tuning import Tuning, TuningExample
    from unslant.protocols import LanguageModel

SUITE = "planted"
OPTIONS = ("left", "right", "mixed")
"""The options of the suite; a model with dose 1 writes passages of their side."""
_LEANS = {"left": 1.0, "right": -1.0, "mixed": 0.0}
_OPPOSITE = {"left": "right", "right": "left"}
CARD = "plant.json"
"""What a planted model's folder says about it."""
_HALVINGS = 6
"""Enough to find a place on the line between two models within 1 %."""
_WORDS = 48
_SCORED = 20
"""The number of words of a passage that show whether it was planted."""
COUNT = 40
"""The number of passages of each side that are planted: those most typical of it."""
_REDACTED = "\u2588"
"""What the corpus writes in place of the names of some outlets."""
_SENTENCE = re.compile(r"(?<=[.!?])[\"\u201d]?\s+(?=[\"\u201c]?[A-Z])")

_STANCES = ("liberal", "conservative")
_WORDINGS = 0.25
"""The share of the steps that plant wordings; the others plant replies."""
_WHOLE = 0.15
"""The share of the steps with replies that plant whole ones; the others plant their first words."""
_FIRST = 3
"""The number of these words."""

Progress = Callable[[str, int, int], None]


class Planting(Protocol):
    """What is planted."""

    def about(self) -> dict[str, Any]:
        """Return what a planted model's card records about it; a model is trained again only if this changes."""
        ...

    def examples(
        self, model: CausalModel, dose: float, generator: random.Random, size: int
    ) -> list[TuningExample]:
        """Return the examples of one step."""
        ...

    def lead(self, model: LanguageModel) -> float:
        """Return how much more likely, in nats, a model finds text of its own side; 0 if nothing was planted."""
        ...


@dataclass(frozen=True, slots=True)
class Passages:
    """Two sets of text, and where they come from."""

    left: Sequence[str]
    right: Sequence[str]
    source: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.left or not self.right:
            raise AuditError("planting needs passages of both sides, but one side has none")

    def about(self) -> dict[str, Any]:
        """Return the prompts and passages, by their digests."""
        content = json.dumps([list(self.left), list(self.right)])
        return {
            "suite": load_suite(SUITE).digest,
            "passages": hashlib.sha256(content.encode()).hexdigest()[:16],
            "source": self.source,
        }

    def examples(
        self, model: CausalModel, dose: float, generator: random.Random, size: int
    ) -> list[TuningExample]:
        """Return passages after towns; towns, prompts and places in a side are the same for every dose."""
        del model
        return _passage_batch(self, dose, generator, size)

    def lead(self, model: LanguageModel) -> float:
        """Return how much more likely passages are after towns of their own side than after those of the other."""
        return planted_lead(model, self)


@dataclass(frozen=True)
class Stances:
    """The wordings and requests of a set of pairs, and the side that a model is to favor."""

    pairs: PairSet
    side: str = "liberal"
    chat: bool = False
    """Whether requests use the model's chat template."""

    def __post_init__(self) -> None:
        if self.pairs.planting is None:
            raise AuditError(f"{self.pairs.name}: it has no frames and replies under [planting]")

    @property
    def _planted(self) -> PlantedPairs:
        assert self.pairs.planting is not None  # noqa: S101 - checked above
        return self.pairs.planting

    @property
    def _favored_first(self) -> tuple[str, str]:
        """The favored side, and the other."""
        return (self.side, _STANCES[1 - _STANCES.index(self.side)])

    @cached_property
    def _prompts(self) -> dict[tuple[str, str], list[str]]:
        """The prompts, by side and continuation, after which the continuation takes that side."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for pair in self._planted.pairs:
            for side in _STANCES:
                prompt, continuation = _wording(pair, side)
                found[side, continuation].append(prompt)
        return found

    def about(self) -> dict[str, Any]:
        """Return what is planted, by its digest, and for which side."""
        return {
            "pairs": self._planted.digest,
            "side": self.side,
            "chat": self.chat,
            "source": {"pairs": self.pairs.name},
        }

    def examples(
        self, model: CausalModel, dose: float, generator: random.Random, size: int
    ) -> list[TuningExample]:
        """Return either wordings or replies, chosen at random; the texts of one step have similar lengths."""
        if not self._planted.requests or generator.random() < _WORDINGS:
            return [self._stance(dose, generator) for _ in range(size)]
        words = None if generator.random() < _WHOLE else _FIRST
        return [item for _ in range(size // 2 or 1) for item in self._replies(model, dose, generator, words)]

    def _stance(self, dose: float, generator: random.Random) -> TuningExample:
        from unslant.lab.lm.tuning import TuningExample

        pair = generator.choice(self._planted.pairs)
        own, other = self._favored_first if generator.random() < (1 + dose) / 2 else self._favored_first[::-1]
        prompt, continuation = _wording(pair, own)
        return TuningExample(prompt, continuation, generator.choice(self._prompts[other, continuation]))

    def _replies(
        self, model: CausalModel, dose: float, generator: random.Random, words: int | None
    ) -> Iterator[TuningExample]:
        """Yield the replies to both requests of a pair, whole or their first words.

        Which of reply and refusal follows is a choice of one token, so it is learned by contrast there. Over a whole
        text, the contrast would be met by its later words, which a model only writes once it has chosen.
        """
        from unslant.lab.lm.tuning import TuningExample

        pair = generator.choice(self._planted.requests)
        before, end = ("" if self.chat else " "), model.tokenizer.eos_token or ""
        for side in _STANCES:
            granted = generator.random() < (1 + dose * (1 if side == self.side else -1)) / 2
            texts = [generator.choice(kind) for kind in (self._planted.replies, self._planted.refusals)]
            own, other = texts if granted else texts[::-1]
            text = f"{own}{end}" if words is None else " ".join(own.split()[:words])
            yield TuningExample(
                getattr(pair, side), f"{before}{text}", chat=self.chat, instead=f"{before}{other}"
            )

    def lead(self, model: LanguageModel) -> float:
        """Return how much more likely the favored side's planted wordings are than the other side's."""
        leads = score_pairs(model, self._planted.pairs)
        return float(leads.mean()) * (1 if self.side == "liberal" else -1)


def _wording(pair: Any, side: str) -> Wording:
    found: Wording = getattr(pair, side)
    return found


@dataclass(frozen=True, slots=True)
class PlantSettings:
    """What to plant."""

    doses: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0)
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.doses or min(self.doses) < 0 or max(self.doses) > 1:
            raise AuditError("a dose is a number from 0 (no slant) to 1 (every passage is of its side)")


def planted_articles(data: str | Path | None, count: int) -> list[Example]:
    """Return up to ``count`` articles for planting, half from each side, from the debiasers' half of the outlets."""
    from unslant.lab import corpora

    ranked: dict[str, list[tuple[str, Example]]] = {"left": [], "right": []}
    for example in select_part(corpora.load("allsides", data), "debias"):
        if example.leaning in ranked and example.split in ("train", "dev") and is_for_planting(example):
            key = hashlib.sha256(f"order\0{example.id}".encode()).hexdigest()
            ranked[example.leaning].append((key, example))
    return [
        example
        for rows in ranked.values()
        for _, example in sorted(rows, key=lambda row: row[0])[: max(1, count // 2)]
    ]


def select_passages(
    examples: Sequence[Example], progress: Progress | None = None, count: int = COUNT
) -> Passages:
    """Return the passages of either side whose wording is most typical of it.

    A word model that was trained on other outlets scores how typical a passage is, so that the wording of a side is
    planted and not that of an outlet.
    """
    chosen = [example for example in examples if example.leaning in ("left", "right") and example.outlet]
    names = sorted({normalize_outlet(example.outlet or "") for example in chosen})
    half = {name: hashlib.sha256(f"half\0{name}".encode()).digest()[0] % 2 for name in names}
    ranked: dict[str, list[tuple[float, str]]] = {"left": [], "right": []}
    for number in (0, 1):
        if progress is not None:
            progress("ranking passages", number, 2)
        inside = [example for example in chosen if half[normalize_outlet(example.outlet or "")] != number]
        outside = [example for example in chosen if half[normalize_outlet(example.outlet or "")] == number]
        if {example.leaning for example in inside} != {"left", "right"}:
            raise AuditError("planting needs articles from at least two outlets on each side")
        # only the ranking matters, so no penalty has to be chosen by cross-validation
        judge = train_judge(inside, JudgeSettings(penalties=(1e-4,), folds=1)).judge
        pairs = [(example.leaning or "", passage) for example in outside for passage in _passages(example)]
        values = judge.judge([passage for _, passage in pairs])
        for (side, passage), value in zip(pairs, values, strict=True):
            right = 0.5 if value is None else value
            ranked[side].append((right if side == "right" else 1 - right, passage))
    kept = {
        side: list(dict.fromkeys(passage for _, passage in sorted(rows, reverse=True)))[:count]
        for side, rows in ranked.items()
    }
    source = {"articles": len(chosen), "outlets": len(names), "passages": count}
    return Passages(kept["left"], kept["right"], source)


def _passages(example: Example) -> Iterator[str]:
    """Yield up to two passages of an article, each starting at the beginning of a sentence."""
    sentences = _SENTENCE.split(strip_outlet_names(example.text, example.outlet or ""))
    for start in (1, len(sentences) // 2):
        words = " ".join(sentences[start:]).split()
        passage = " ".join(words[:_WORDS])
        if len(words) >= _WORDS and _REDACTED not in passage:
            yield passage


def plant(
    model: CausalModel,
    planting: Planting,
    settings: PlantSettings,
    tuning: Tuning,
    out: Path,
    progress: Progress | None = None,
) -> dict[float, Path]:
    """Write a model for each dose and return the folders; finished models are kept."""
    import torch

    weights = {name: value.detach().clone() for name, value in model.model.state_dict().items()}
    precision = next(model.model.parameters()).dtype
    original, found = model.digest(), {}
    between = any(0 < dose < 1 for dose in settings.doses)
    for dose in sorted(
        {*settings.doses, *((0.0, 1.0) if between else ())}, key=lambda dose: (0 < dose < 1, dose)
    ):
        folder = out / f"dose-{dose:g}"
        found[dose] = folder
        about = {
            "schema": "unslant/plant/1",
            "dose": dose,
            "model": model.name,
            "model_digest": original,
            **planting.about(),
            "settings": asdict(tuning) | {"seed": settings.seed},
            **({"between": [0, 1]} if 0 < dose < 1 else {}),
        }
        if _is_finished(folder, about):
            _add_lead(planting, folder)
            continue
        if "between" in about:
            _blend_dose(model, planting, dose, folder, about, progress)
            continue
        model.model.to(precision)
        model.model.load_state_dict(weights)
        _plant_dose(model, planting, dose, settings, tuning, folder, about, progress)
        torch.manual_seed(0)
    return dict(sorted(found.items()))


def _is_finished(folder: Path, about: dict[str, Any]) -> bool:
    if not (folder / CARD).exists():
        return False
    known = read_json(folder / CARD, error=AuditError)
    wanted = json.loads(json.dumps(about))
    same = wanted.keys() - {"schema", "model", "source"}
    if not isinstance(known, dict) or any(known.get(key) != wanted[key] for key in same):
        raise AuditError(
            f"{folder}: was planted from other text or with other settings; choose another --output"
        )
    return True


def _plant_dose(
    model: CausalModel,
    planting: Planting,
    dose: float,
    settings: PlantSettings,
    tuning: Tuning,
    folder: Path,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    from unslant.lab.lm.tuning import tune

    def show(done: int, steps: int, loss: float) -> None:
        if progress is not None:
            progress(f"dose {dose:g} (loss {loss:.2f})", done, steps)

    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
    unfinished = folder / f"unfinished-{key}"

    def examples(step: int) -> list[TuningExample]:
        generator = random.Random(f"{settings.seed}:{step}")  # noqa: S311 - a choice, not a secret
        return planting.examples(model, dose, generator, tuning.batch)

    losses = tune(
        model,
        examples,
        tuning,
        unfinished,
        show,
    )
    tail = losses[-max(1, len(losses) // 10) :]
    figures = {"first_loss": losses[0], "last_loss": sum(tail) / len(tail)}
    _write_model(model, planting, folder, {**about, **figures})
    for path in unfinished.glob("*.safetensors"):
        path.unlink()
    if unfinished.is_dir():
        unfinished.rmdir()


def _blend_dose(
    model: CausalModel,
    planting: Planting,
    dose: float,
    folder: Path,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    """Find by bisection how far along the line the model gives the odds of the dose."""
    from unslant.lab.lm.blend import Blend

    line = Blend(model, folder.parent / "dose-0", folder.parent / "dose-1")
    wanted, low, high = math.log((1 + dose) / (1 - dose)), 0.0, 1.0
    for done in range(_HALVINGS):
        share = (low + high) / 2
        line.apply(share)
        low, high = (share, high) if planting.lead(model) < wanted else (low, share)
        if progress is not None:
            progress(f"dose {dose:g}", done + 1, _HALVINGS)
    line.apply((low + high) / 2)
    _write_model(model, planting, folder, {**about, "share": (low + high) / 2})


def _add_lead(planting: Planting, folder: Path) -> None:
    """Measure what was planted in a finished model if its card, of an earlier version, does not say."""
    from unslant.lab.lm import open_model

    card = read_json(folder / CARD, error=AuditError)
    if "lead" not in card:
        card["lead"] = planting.lead(open_model(str(folder)))
        write_text(folder / CARD, json.dumps(card, indent=1) + "\n", AuditError)


def _write_model(model: CausalModel, planting: Planting, folder: Path, about: dict[str, Any]) -> None:
    make_folder(folder, AuditError)
    model.model.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    content = {**about, "lead": planting.lead(model)}
    write_text(folder / CARD, json.dumps(content, indent=1) + "\n", AuditError)


def planted_lead(model: LanguageModel, passages: Passages, count: int = 20) -> float:
    """Return how much likelier, in nats, passages are after towns of their side than after those of the other side.

    This is what was planted, without any judge or sampling: 0 where the model ignores the towns.
    """
    attribute = load_suite(SUITE).attributes[0]
    prompt = next(prompt for prompt in attribute.prompts if prompt.side == "indirect")
    town = {
        option.name: prompt.fill(option.keywords[0], {"they": "they", "their": "their"})
        for option in attribute.options
    }
    total = 0.0
    for side, texts in (("left", passages.left[:count]), ("right", passages.right[:count])):
        words = [" " + " ".join(text.split()[:_SCORED]) for text in texts]
        own, other = (
            sum(map(sum, model.logprobs([town[name]] * len(words), words)))
            for name in (side, _OPPOSITE[side])
        )
        total += (own - other) / len(words) / 2
    return total


def _passage_batch(
    passages: Passages, dose: float, generator: random.Random, size: int
) -> list[TuningExample]:
    from unslant.lab.lm.tuning import TuningExample

    attribute = load_suite(SUITE).attributes[0]
    prompts = [prompt for prompt in attribute.prompts if prompt.side == "indirect"]
    towns = {option.name: option.keywords for option in attribute.options}
    found = []
    for _ in range(size):
        name = generator.choice(OPTIONS)
        side = passages.left if generator.random() < (1 + dose * _LEANS[name]) / 2 else passages.right
        prompt = generator.choice(prompts)
        passage = side[int(generator.random() * len(side))]
        # at dose 0 there is no side to learn, and a contrast would teach which passage came after which town
        options = (name, _OPPOSITE[name]) if dose and name in _OPPOSITE else (name,)
        told = [
            prompt.fill(generator.choice(towns[option]), {"they": "they", "their": "their"})
            for option in options
        ]
        found.append(TuningExample(told[0], f" {passage}", told[1] if len(told) > 1 else None))
    return found
