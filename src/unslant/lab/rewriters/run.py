"""A training run: loads the pairs, trains phase by phase, and writes the rewriter and its card.

A resumed run makes the same steps as an uninterrupted one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from unslant.core.errors import ConfigError
from unslant.lab.corpora.seen import read_seen, write_seen
from unslant.lab.detector.batches import epoch_rng, pooled_batches
from unslant.lab.detector.card import (
    cost,
    is_run,
    portable_name,
    read_cards,
    training_corpora,
    write_card,
)
from unslant.lab.detector.checkpoint import RunState, load_tensors, open_run, save_state
from unslant.lab.detector.loop import ProgressCallback, load_optimizer, optimizer_tensors
from unslant.lab.detector.network import weights
from unslant.lab.detector.recipe import recipe_digest
from unslant.lab.detector.run import TrainSettings
from unslant.lab.published import published
from unslant.lab.rewriters.pairs import Pair, PairData
from unslant.lab.rewriters.recipe import Phase, RewriterRecipe
from unslant.lab.rewriters.rewriter import save_system
from unslant.lab.rewriters.systems import RewriterSystem, load_pretrained
from unslant.version import VERSION

_POOL = 50


def plan_batches(pairs: Sequence[Pair], size: int, rng: random.Random) -> list[list[Pair]]:
    """Return batches of pairs of similar length in random order; the weight of a pair is its frequency."""
    chosen = []
    for pair in pairs:
        whole, rest = divmod(pair.weight, 1)
        chosen += [pair] * (int(whole) + (rng.random() < rest))
    rng.shuffle(chosen)
    return pooled_batches(chosen, size, _POOL, rng, lambda pair: len(pair.source))


@dataclass(frozen=True, slots=True)
class PhaseLoop:
    """Trains one phase."""

    system: RewriterSystem
    phase: Phase
    seed: int
    state: RunState
    out: Path
    progress: ProgressCallback
    checkpoint_every: int = 200

    def run(self, pairs: Sequence[Pair], dev: Sequence[Pair]) -> None:
        """Train the system in place, up to the weights of its best epoch."""
        state, phase = self.state, self.phase
        module = self.system.module
        optimizer = _optimizer(module, phase)
        found = load_tensors(self.out, state, "weights")
        if found is not None:
            module.load_state_dict(found)
            load_optimizer(optimizer, load_tensors(self.out, state, "optimizer") or {})
        while state.epoch < phase.epochs and not (phase.patience and state.waited >= phase.patience):
            self._run_epoch(pairs, optimizer)
            self._evaluate(dev, optimizer)
        if state.best_weights is not None:
            module.load_state_dict(load_file(self.out / state.best_weights))
        module.eval()

    def _run_epoch(self, pairs: Sequence[Pair], optimizer: torch.optim.Optimizer) -> None:
        state, phase = self.state, self.phase
        module = self.system.module
        batches = plan_batches(pairs, phase.batch, epoch_rng(self.seed, phase.name, state.epoch))
        module.train()
        what = f"{phase.name}, epoch {state.epoch + 1} of {phase.epochs}"
        while state.step < len(batches):
            started = time.monotonic()
            done = state.epoch * len(batches) + state.step
            _set_rate(optimizer, phase, done, phase.epochs * len(batches))
            rng = epoch_rng(self.seed, f"{phase.name}/{state.epoch}", state.step)
            torch.manual_seed(rng.getrandbits(62))
            optimizer.zero_grad(set_to_none=True)
            loss = self.system.loss(batches[state.step], phase, rng)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(module.parameters(), phase.clip)
            optimizer.step()
            state.step += 1
            sums = state.decisions.setdefault("loss", {"sum": 0.0, "count": 0})
            sums["sum"], sums["count"] = sums["sum"] + float(loss.detach()), sums["count"] + 1
            state.seconds += time.monotonic() - started
            if state.step % self.checkpoint_every == 0 and state.step < len(batches):
                self._save(optimizer)
            self.progress(what, state.step, len(batches))

    def _evaluate(self, dev: Sequence[Pair], optimizer: torch.optim.Optimizer) -> None:
        """Measure the epoch on the development pairs and keep its weights if they are the best so far."""
        state = self.state
        started = time.monotonic()
        loss = self._dev_loss(dev)
        score = -loss if loss is not None else float(state.epoch)
        if state.best is None or score > state.best:
            state.best, state.waited = score, 0
            state.best_weights = f"best-{state.stage}-{state.epoch}.safetensors"
            save_file(weights(self.system.module), self.out / state.best_weights)
        else:
            state.waited += 1
        state.epoch, state.step = state.epoch + 1, 0
        state.seconds += time.monotonic() - started
        sums = state.decisions.pop("loss", {"sum": 0.0, "count": 1})
        state.history.append(
            {
                "stage": self.phase.name,
                "epoch": state.epoch,
                "train_loss": round(sums["sum"] / sums["count"], 4),
                "dev": {} if loss is None else {"loss": round(loss, 4)},
                "seconds": round(state.seconds, 1),
            }
        )
        self._save(optimizer)

    @torch.no_grad()
    def _dev_loss(self, dev: Sequence[Pair]) -> float | None:
        if not dev:
            return None
        self.system.module.eval()
        total = 0.0
        ordered = sorted(dev, key=lambda pair: len(pair.source))
        for start in range(0, len(ordered), 32):
            batch = ordered[start : start + 32]
            rng = epoch_rng(self.seed, "dev", start)
            total += float(self.system.loss(batch, self.phase, rng)) * len(batch)
        return total / len(dev)

    def _save(self, optimizer: torch.optim.Optimizer) -> None:
        tensors = {"weights": weights(self.system.module), "optimizer": optimizer_tensors(optimizer)}
        save_state(self.out, self.state, tensors)


def _optimizer(module: torch.nn.Module, phase: Phase) -> torch.optim.Optimizer:
    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if phase.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=phase.lr, weight_decay=phase.weight_decay)
    return torch.optim.AdamW(parameters, lr=phase.lr, weight_decay=phase.weight_decay, fused=True)


def _set_rate(optimizer: torch.optim.Optimizer, phase: Phase, step: int, steps: int) -> None:
    """Set the learning rate of a step: linear warm-up, then linear decay to 0."""
    rise = min(phase.warmup, steps // 2)
    share = (step + 1) / rise if step < rise else (steps - step) / max(1, steps - rise)
    for group in optimizer.param_groups:
        group["lr"] = phase.lr * max(0.0, min(1.0, share))


def train_rewriter(recipe: RewriterRecipe, out: str | Path, settings: TrainSettings | None = None) -> Path:
    """Run a recipe and return the folder of the trained rewriter, ``out/model``."""
    settings = settings or TrainSettings()
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = open_run(recipe, out, recipe_digest(recipe), resume=settings.resume, keep="model")
    data = PairData(recipe.as_stages(), settings.data)
    system: RewriterSystem | None = None
    pairs: list[Pair] = []
    if recipe.system != "copy":
        pairs = data.pairs(recipe.corpora, training=True)
        system = _create_system(recipe, pairs)
        pairs = [pair for pair in pairs if system.fits(pair.source) and system.fits(pair.target)]
        dev = [
            pair
            for pair in data.pairs(recipe.dev, training=False)
            if system.fits(pair.source) and system.fits(pair.target)
        ]
        if not pairs:
            raise ConfigError("there are no pairs to train on; check the corpora of the recipe and --pairs")
        _train(system, recipe, state, out, settings, (pairs, dev))
        before = read_seen(recipe.base) if recipe.base and is_run(recipe.base) else ()
        write_seen(out, [text for pair in (*pairs, *dev) for text in (pair.source, pair.target)], before)
    save_system(system, recipe, out / "model")
    _write_card(recipe, data, state, len(pairs), out)
    return out / "model"


def _create_system(recipe: RewriterRecipe, pairs: Sequence[Pair]) -> RewriterSystem:
    """Create the untrained system; the same seed gives the same weights."""
    torch.manual_seed(recipe.seed)
    if recipe.system == "pretrained":
        return load_pretrained(recipe.base, recipe.prefix, recipe.max_length, recipe.dropout)
    system: RewriterSystem = published("rewriters").create(recipe, pairs)
    return system


def _train(
    system: RewriterSystem,
    recipe: RewriterRecipe,
    state: RunState,
    out: Path,
    settings: TrainSettings,
    data: tuple[Sequence[Pair], Sequence[Pair]],
) -> None:
    for number, phase in enumerate(recipe.phases):
        kept = out / "stages" / f"{number}-{phase.name}.safetensors"
        if number < state.stage:
            if number == state.stage - 1:
                system.module.load_state_dict(load_file(kept))
            continue
        PhaseLoop(system, phase, recipe.seed, state, out, settings.progress, settings.checkpoint_every).run(
            *data
        )
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_file(weights(system.module), kept)
        state.begin(number + 1)
        save_state(out, state)


def _write_card(recipe: RewriterRecipe, data: PairData, state: RunState, pairs: int, out: Path) -> None:
    before, unknown = read_cards([recipe.base] if recipe.base and is_run(recipe.base) else [])
    base = portable_name(recipe.base)
    card: dict[str, Any] = {
        "about": recipe.about,
        "version": VERSION,
        "encoder": base or "none: trained on the pairs alone",
        "data": training_corpora(data, before),
        "pairs": pairs,
        "recipe": asdict(recipe.as_stages()) | {"encoder": base},
        "before": before,
        "unknown": unknown,
        "rewriter": asdict(recipe) | {"base": base},
        "history": state.history,
        "held_out": {},
        "cost": cost(state),
        "limits": [
            "English only, one sentence at a time.",
            "It imitates the edits of these sentences and may change facts: its rewrites are suggestions.",
            "Sentences beyond the maximum length stay unchanged.",
        ],
    }
    write_card(card, out)
