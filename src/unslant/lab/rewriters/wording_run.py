"""Training the rewriter: stage by stage, with checkpoints; a resumed run makes the same steps as a whole one."""

from __future__ import annotations

import hashlib
import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch.nn.functional import cross_entropy

from unslant.core.files import read_json
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR
from unslant.lab.detector.batches import epoch_rng, pooled_batches
from unslant.lab.detector.card import portable_name
from unslant.lab.detector.checkpoint import RunState, load_state, load_tensors, open_run, save_state
from unslant.lab.detector.loop import load_optimizer, optimizer_tensors
from unslant.lab.detector.run import TrainSettings
from unslant.lab.rewriters.wording_data import (
    Fix,
    Lesson,
    as_lesson,
    fixes_of_editors,
    fixes_of_pairs,
    load_corpus,
    reversed_fixes,
    unmarked,
)
from unslant.lab.rewriters.wording_network import cut_model, cut_tokenizer, find_base, make_model
from unslant.lab.rewriters.wording_recipe import WordingRecipe, WordingStage
from unslant.lab.wiki.pairing import split_sentences
from unslant.protocols import WordsInSentence
from unslant.version import VERSION

_NO_TECHNIQUE = 0.1
"""The share of lessons in which the network is not told the technique."""
_NEUTRAL = "allsides"
"""The corpus whose articles of the centre get words put back."""
_CHECKPOINT = 100
"""Steps between two checkpoints, at most."""
_POOL = 40
_PADDING = 0
_IGNORED = -100


def read_lessons(stage: WordingStage, data: str | Path | None, seed: int) -> list[Lesson]:
    """Return the lessons of a stage, in random order."""
    rng = random.Random(f"{seed}/{stage.name}")  # noqa: S311
    fixes: list[Fix] = []
    if stage.pairs:
        pairs = [fix for name in stage.pairs for fix in fixes_of_pairs(load_corpus(name, data))]
        rng.shuffle(pairs)
        limit = len(pairs) if stage.limit is None else stage.limit
        deletions = [fix for fix in pairs if not fix.wording][: int(limit * stage.deletions)]
        fixes += [*deletions, *[fix for fix in pairs if fix.wording][: limit - len(deletions)]]
    for name in stage.editors:
        examples = load_corpus(name, data)
        fixes += [fix for fix in fixes_of_editors(examples) if fix.part not in ("dev", "test", "calibration")]
        fixes += unmarked(examples)
    if stage.reversed:
        taken = [fix for fix in fixes_of_editors(load_corpus(EDITOR, data)) if fix.part == "train"]
        articles = [example.text for example in load_corpus(_NEUTRAL, data) if example.leaning == "center"]
        rng.shuffle(articles)
        sentences = (sentence for article in articles for sentence in split_sentences(article))
        put_back = reversed_fixes(taken, (s for s in sentences if 40 < len(s) < 260), rng)
        fixes += [fix for fix, _ in zip(put_back, range(stage.reversed), strict=False)]
    lessons = []
    for fix in fixes:
        if rng.random() < _NO_TECHNIQUE:
            passage = fix.passage
            fix = Fix(WordsInSentence(passage.sentence, passage.span, None, passage.before), fix.wording)
        lesson = as_lesson(fix)
        if lesson is not None:
            lessons.append(lesson)
    rng.shuffle(lessons)
    return lessons


def train_wordings(recipe: WordingRecipe, out: str | Path, settings: TrainSettings | None = None) -> Path:
    """Run a recipe and return the folder of the trained network, ``out/model``."""
    settings = settings or TrainSettings()
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = _open_run(recipe, out, resume=settings.resume)
    settings.progress("reading corpora", 0, 1)
    lessons = [read_lessons(stage, settings.data, recipe.seed) for stage in recipe.stages]
    dev = [
        as_lesson(fix) for fix in fixes_of_editors(load_corpus(EDITOR, settings.data)) if fix.part == "dev"
    ]
    model, tokenizer = _prepare(recipe, lessons, out)
    for number, stage in enumerate(recipe.stages):
        kept = out / "stages" / f"{number}-{stage.name}.safetensors"
        if number < state.stage:
            if number == state.stage - 1:
                _load_weights(model, load_file(kept))
            continue
        _train_stage(_Stage(model, tokenizer, recipe, stage, state, out, settings), lessons[number])
        state.history.append(
            {
                "stage": stage.name,
                "lessons": len(lessons[number]),
                "dev_loss": round(_dev_loss(model, tokenizer, [lesson for lesson in dev if lesson]), 4),
                "seconds": round(state.seconds, 1),
            }
        )
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_file(_weights(model), kept)
        state.begin(number + 1)
        save_state(out, state)
    save_file(_weights(model), out / "model" / "model.safetensors")
    names = sorted({name for stage in recipe.stages for name in (*stage.pairs, *stage.editors)})
    if any(stage.reversed for stage in recipe.stages):
        names.append(_NEUTRAL)
    card = {
        "about": recipe.about,
        "version": VERSION,
        "recipe": asdict(recipe) | {"base": portable_name(recipe.base)},
        "data": {name: corpora.card(name).licence for name in names},
        "history": state.history,
        "seconds": round(state.seconds, 1),
    }
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    return out / "model"


def _open_run(recipe: WordingRecipe, out: Path, *, resume: bool) -> RunState:
    """Return the state of the run; stages that have not begun may differ from those of the interrupted run."""
    known = load_state(out)
    begun = recipe.stages[: (known.stage if known else 0) + 1]
    text = json.dumps(asdict(recipe) | {"stages": [asdict(stage) for stage in begun]}, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    accepted = known.digest if known and not known.step else digest
    state = open_run(recipe, out, accepted, resume=resume, keep="model")
    state.digest = digest
    return state


def _prepare(recipe: WordingRecipe, lessons: Sequence[Sequence[Lesson]], out: Path) -> tuple[Any, Tokenizer]:
    folder = out / "model"
    if (folder / "tokenizer.json").is_file() and (folder / "start.safetensors").is_file():
        return load_model(folder, "start.safetensors")
    base = find_base(recipe.base)
    texts = (text for some in lessons for lesson in some for text in (lesson.query, lesson.target))
    plan, places = cut_tokenizer(base, texts, recipe.vocabulary)
    model = cut_model(base, recipe.decoder_layers, places)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(plan, ensure_ascii=False), "utf-8")
    config = {
        key: value
        for key, value in model.config.to_dict().items()
        if isinstance(value, int | float | str | bool)
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    save_file(_weights(model), folder / "start.safetensors")
    return model, Tokenizer.from_file(str(folder / "tokenizer.json"))


def load_model(folder: Path, weights: str | Path = "model.safetensors") -> tuple[Any, Tokenizer]:
    """Return a network and its tokenizer; ``weights`` is a file in the folder or elsewhere."""
    model = make_model(read_json(folder / "config.json"))
    _load_weights(model, load_file(folder / weights))
    return model.eval(), Tokenizer.from_file(str(folder / "tokenizer.json"))


def _weights(model: Any) -> dict[str, torch.Tensor]:
    """Return each tensor once: the embeddings have three names."""
    shared = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    return {name: value.contiguous() for name, value in model.state_dict().items() if name not in shared}


def _load_weights(model: Any, tensors: dict[str, torch.Tensor]) -> None:
    model.load_state_dict(tensors, strict=False)


class _Stage:
    """What a stage needs to run."""

    def __init__(
        self,
        model: Any,
        tokenizer: Tokenizer,
        recipe: WordingRecipe,
        stage: WordingStage,
        state: RunState,
        out: Path,
        settings: TrainSettings,
    ) -> None:
        self.model, self.tokenizer, self.recipe, self.stage = model, tokenizer, recipe, stage
        self.state, self.out, self.settings = state, out, settings
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=stage.lr, weight_decay=0.01, fused=True)
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = stage.dropout
        found = load_tensors(out, state, "weights")
        if found is not None:
            _load_weights(model, found)
            load_optimizer(self.optimizer, load_tensors(out, state, "optimizer") or {})

    def save(self) -> None:
        """Write a checkpoint."""
        tensors = {"weights": _weights(self.model), "optimizer": optimizer_tensors(self.optimizer)}
        save_state(self.out, self.state, tensors)


def _train_stage(run: _Stage, lessons: Sequence[Lesson]) -> None:
    state, stage, model = run.state, run.stage, run.model
    plan = [
        batch
        for number in range(math.ceil(stage.passes))
        for batch in _plan_batches(lessons, stage.batch, epoch_rng(run.recipe.seed, stage.name, number))
    ]
    plan = plan[: round(len(plan) * stage.passes / math.ceil(stage.passes))]
    model.train()
    smooth = 0.0
    steps = min(len(plan), stage.steps or len(plan))
    while state.step < steps:
        started = time.monotonic()
        for group in run.optimizer.param_groups:
            group["lr"] = _rate(stage, state.step, len(plan))
        torch.manual_seed(epoch_rng(run.recipe.seed, stage.name, state.step).getrandbits(62))
        with torch.autocast("cpu", torch.bfloat16, enabled=run.recipe.precision == "bfloat16"):
            loss = _loss(model, run.tokenizer, plan[state.step])
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        run.optimizer.step()
        run.optimizer.zero_grad(set_to_none=True)
        state.step += 1
        smooth = 0.98 * smooth + 0.02 * float(loss.detach()) if smooth else float(loss.detach())
        state.seconds += time.monotonic() - started
        if state.step % min(run.settings.checkpoint_every, _CHECKPOINT) == 0:
            run.save()
        run.settings.progress(f"{stage.name}, loss {smooth:.3f}", state.step, steps)
    model.eval()


def _plan_batches(lessons: Sequence[Lesson], size: int, rng: random.Random) -> list[list[Lesson]]:
    """Return batches of lessons of similar length, in random order."""
    order = list(lessons)
    rng.shuffle(order)
    return pooled_batches(order, size, _POOL, rng, lambda lesson: len(lesson.query))


def _rate(stage: WordingStage, step: int, steps: int) -> float:
    if step < stage.warmup:
        return stage.lr * (step + 1) / stage.warmup
    share = (step - stage.warmup) / max(1, steps - stage.warmup)
    return stage.lr + (stage.final_lr - stage.lr) * share


def _loss(model: Any, tokenizer: Tokenizer, batch: Sequence[Lesson]) -> torch.Tensor:
    queries = [encoding.ids for encoding in tokenizer.encode_batch([lesson.query for lesson in batch])]
    targets = [encoding.ids for encoding in tokenizer.encode_batch([lesson.target for lesson in batch])]
    source = _pad(queries, _PADDING, 16)
    wanted = _pad(targets, _IGNORED, 8)
    given = torch.cat([torch.zeros(len(batch), 1, dtype=torch.long), wanted[:, :-1].clamp(min=0)], 1)
    logits = model(
        input_ids=source, attention_mask=(source != _PADDING).long(), decoder_input_ids=given, use_cache=False
    ).logits
    return cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=_IGNORED)


def _pad(rows: Sequence[Sequence[int]], value: int, multiple: int) -> torch.Tensor:
    """Return rows of one length; few different lengths, because torch prepares and keeps a plan for each."""
    longest = -(-max(map(len, rows)) // multiple) * multiple
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows])


@torch.no_grad()
def _dev_loss(model: Any, tokenizer: Tokenizer, lessons: Sequence[Lesson]) -> float:
    model.eval()
    ordered = sorted(lessons, key=lambda lesson: len(lesson.query))
    batches = [ordered[start : start + 32] for start in range(0, len(ordered), 32)]
    return sum(float(_loss(model, tokenizer, batch)) * len(batch) for batch in batches) / max(1, len(ordered))
