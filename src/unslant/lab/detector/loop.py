"""One stage of training: epochs of steps, each checkpointed, the best kept.

Chance is drawn anew for every epoch and every step from the seed and their numbers, so a run that was killed and
resumed makes the same steps as one that was not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from unslant.core.errors import ConfigError
from unslant.lab.detector.batches import collate, plan_batches
from unslant.lab.detector.checkpoint import State, load_tensors, save_state
from unslant.lab.detector.epoch import draw, epoch_rng
from unslant.lab.detector.network import Trained, weights
from unslant.lab.detector.objective import Objective
from unslant.lab.detector.optimizer import load_memory, make_optimizer, memory, set_rate
from unslant.lab.detector.predict import decide, encode_for, measure, padding, predict
from unslant.lab.detector.recipe import Recipe, Stage
from unslant.lab.detector.rows import Row, Sample

__all__ = ["Loop", "Tell"]

Tell = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Loop:
    """What the epochs of one stage need."""

    recipe: Recipe
    stage: Stage
    trained: Trained
    state: State
    out: Path
    tell: Tell
    checkpoint_every: int = 200
    """Steps between two checkpoints; one is made after each epoch anyway."""

    def run(self, samples: Sequence[Sample], dev: Sequence[Sample]) -> Trained:
        """Train, and return the network with the weights and decisions of the best epoch."""
        worker = _Worker(self, samples, encode_for(self.trained, dev))
        state, stage = self.state, self.stage
        while state.epoch < stage.epochs and not (stage.patience and state.waited >= stage.patience):
            worker.epoch()
            worker.judge()
        worker.restore_best()
        return replace(self.trained, decisions=dict(state.decisions))


class _Worker:
    """The moving parts of a stage."""

    def __init__(self, loop: Loop, samples: Sequence[Sample], dev: list[Row]) -> None:
        self._loop = loop
        self._samples = samples
        self._dev = dev
        self._network = loop.trained.network
        self._network.precision = getattr(torch, loop.recipe.precision)
        self._objective = Objective(loop.recipe, loop.stage)
        self._optimizer = make_optimizer(
            self._network, loop.stage, self._objective.heads, table=loop.recipe.table != "int4"
        )
        self._rows: dict[int, Row] = {}
        self._average: dict[str, Tensor] | None = None
        self._losses: list[float] = []
        self._resume()

    def _resume(self) -> None:
        loop = self._loop
        found = load_tensors(loop.out, loop.state, "weights")
        if found is None:
            return
        self._network.load_state_dict(found)
        load_memory(self._optimizer, load_tensors(loop.out, loop.state, "optimizer") or {})
        self._average = load_tensors(loop.out, loop.state, "average")

    def _encoded(self, samples: Sequence[Sample]) -> list[Row]:
        """Cut what is new; texts that come again in every epoch are cut once."""
        fresh = [sample for sample in samples if id(sample) not in self._rows]
        made = dict(zip((id(one) for one in fresh), encode_for(self._loop.trained, fresh), strict=True))
        known = {id(sample) for sample in self._samples}
        self._rows.update({key: row for key, row in made.items() if key in known})
        return [self._rows.get(id(sample)) or made[id(sample)] for sample in samples]

    def epoch(self) -> None:
        """Make the steps of an epoch that are not done yet."""
        loop, state, stage = self._loop, self._loop.state, self._loop.stage
        rng = epoch_rng(loop.recipe.seed, stage.name, state.epoch)
        rows = self._encoded(draw(self._samples, stage.augment, rng))
        together = bool(stage.pairs or stage.augment.consistency)
        batches = plan_batches(rows, stage.batch, rng=rng, bucket=stage.bucket, together=together)
        steps = [batches[at : at + stage.accumulate] for at in range(0, len(batches), stage.accumulate)]
        self._network.train()
        what = f"{stage.name}, epoch {state.epoch + 1} of {stage.epochs}"
        while state.step < len(steps):
            started = time.monotonic()
            set_rate(
                self._optimizer,
                state.epoch * len(steps) + state.step,
                stage.epochs * len(steps),
                stage.warmup,
            )
            self._step([[rows[at] for at in batch] for batch in steps[state.step]])
            state.step += 1
            state.seconds += time.monotonic() - started
            if state.step % loop.checkpoint_every == 0 and state.step < len(steps):
                self._save()
            loop.tell(what, state.step, len(steps))

    def _step(self, batches: Sequence[Sequence[Row]]) -> None:
        loop, state = self._loop, self._loop.state
        torch.manual_seed(
            epoch_rng(loop.recipe.seed, f"{state.stage}/{state.epoch}", state.step).getrandbits(62)
        )
        self._optimizer.zero_grad(set_to_none=True)
        for rows in batches:
            batch = collate(self._network, rows, padding=padding(loop.trained), labels=self._objective.heads)
            loss = self._objective(self._network, batch) / len(batches)
            if loss.requires_grad:
                loss.backward()  # type: ignore[no-untyped-call]
            self._losses.append(float(loss.detach()))
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), loop.stage.clip)
        self._optimizer.step()
        if loop.stage.average:
            self._update_average(loop.stage.average)

    def _update_average(self, decay: float) -> None:
        current = self._network.state_dict()
        if self._average is None:
            self._average = weights(self._network)
            return
        for name, value in self._average.items():
            if value.is_floating_point():
                value.mul_(decay).add_(current[name], alpha=1 - decay)

    def _save(self) -> None:
        tensors = {"weights": weights(self._network), "optimizer": memory(self._optimizer)}
        if self._average is not None:
            tensors["average"] = self._average
        save_state(self._loop.out, self._loop.state, tensors)

    def judge(self) -> None:
        """Measure the epoch on development data and keep its weights if they are the best so far."""
        loop, state = self._loop, self._loop.state
        started = time.monotonic()
        kept = weights(self._network)
        if self._average is not None:
            self._network.load_state_dict(self._average)
        decisions, figures = self._measure()
        score = _score(figures, loop.stage.metric) if self._dev else float(state.epoch)
        if state.best is None or score > state.best:
            state.best, state.waited, state.decisions = score, 0, decisions
            state.best_weights = f"best-{state.stage}-{state.epoch}.safetensors"
            _write(weights(self._network), loop.out / state.best_weights)
        else:
            state.waited += 1
        self._network.load_state_dict(kept)
        state.epoch, state.step = state.epoch + 1, 0
        state.seconds += time.monotonic() - started
        trained = sum(self._losses) / max(len(self._losses), 1)
        state.history.append(
            {
                "stage": loop.stage.name,
                "epoch": state.epoch,
                "train_loss": round(trained, 4),
                "dev": {name: round(value, 4) for name, value in figures.items()},
                "seconds": round(state.seconds, 1),
            }
        )
        self._losses = []
        self._save()

    def _measure(self) -> tuple[dict[str, dict[str, object]], dict[str, float]]:
        if not self._dev:
            return {}, {}
        outputs = predict(self._loop.trained, self._dev, all_rows=False)
        decisions = decide(self._network, outputs, self._dev)
        figures = measure(self._network, outputs, self._dev, decisions)
        return decisions, {"loss": self._dev_loss(), **figures}

    @torch.no_grad()
    def _dev_loss(self) -> float:
        self._network.eval()
        places = plan_batches(self._dev, 64, rng=epoch_rng(0, "dev", 0))
        losses = []
        for some in places:
            rows = [self._dev[at] for at in some]
            batch = collate(
                self._network, rows, padding=padding(self._loop.trained), labels=self._objective.heads
            )
            losses.append(float(self._objective(self._network, batch)) * len(rows))
        self._network.train()
        return sum(losses) / len(self._dev)

    def restore_best(self) -> None:
        """Load the weights of the best epoch."""
        from safetensors.torch import load_file

        best = self._loop.state.best_weights
        if best is not None:
            self._network.load_state_dict(load_file(self._loop.out / best))
        self._network.precision = torch.float32
        self._network.eval()


def _score(figures: dict[str, float], metric: Sequence[str]) -> float:
    for name in metric:
        if name not in figures:
            raise ConfigError(
                f"no figure named {name!r} on the development data; there are {', '.join(figures)}"
            )
    return sum(-figures[name] if name == "loss" else figures[name] for name in metric) / len(metric)


def _write(tensors: dict[str, Tensor], path: Path) -> None:
    from safetensors.torch import save_file

    save_file(tensors, path)
