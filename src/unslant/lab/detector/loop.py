"""The training loop of one stage, its objective and its optimizer.

The random state of every epoch and step is derived from the seed and their numbers, so a resumed run makes the same
steps as an uninterrupted one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from unslant.core.errors import ConfigError
from unslant.lab.detector.batches import TrainingBatch, collate, epoch_rng, plan_batches, sample_epoch
from unslant.lab.detector.checkpoint import RunState, load_tensors, save_state
from unslant.lab.detector.heads import pair_loss
from unslant.lab.detector.network import DetectorNetwork, Trained, freeze, trainable, weights
from unslant.lab.detector.predict import decide, encode_for, measure, padding, predict
from unslant.lab.detector.recipe import Recipe, Stage
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.lab.detector.tracking import Tracker

_TRACK_EVERY = 10
"""Steps between two figures of a tracker."""

ProgressCallback = Callable[[str, int, int], None]
"""Reports progress: a description, the steps done and the total."""


@dataclass(frozen=True, slots=True)
class StageLoop:
    """Trains one stage."""

    recipe: Recipe
    stage: Stage
    trained: Trained
    state: RunState
    out: Path
    progress: ProgressCallback
    checkpoint_every: int = 200
    """Steps between checkpoints; each epoch ends with a checkpoint, too."""
    tracker: Tracker | None = None

    def run(self, samples: Sequence[TrainingSample], dev: Sequence[TrainingSample]) -> Trained:
        """Train and return the network with the weights and decisions of the best epoch."""
        worker = _Worker(self, samples, encode_for(self.trained, dev))
        state, stage = self.state, self.stage
        while not (
            state.epoch >= stage.epochs
            or (stage.patience and state.waited >= stage.patience)
            or (state.epoch and worker.is_over())
        ):
            worker.run_epoch()
            worker.evaluate()
        worker.restore_best()
        return replace(self.trained, decisions=dict(state.decisions))


class _Worker:
    """The mutable state of a stage."""

    def __init__(self, loop: StageLoop, samples: Sequence[TrainingSample], dev: list[EncodedRow]) -> None:
        self._loop = loop
        self._samples = samples
        self._dev = dev
        self._network = loop.trained.network
        self._network.precision = getattr(torch, loop.recipe.precision)
        self._objective = Objective(loop.recipe, loop.stage)
        self._optimizer = make_optimizer(
            self._network, loop.stage, self._objective.heads, table=loop.recipe.table != "int4"
        )
        self._rows: dict[int, EncodedRow] = {}
        self._average: dict[str, Tensor] | None = None
        self._losses: list[float] = []
        self._resume()

    def _resume(self) -> None:
        loop = self._loop
        found = load_tensors(loop.out, loop.state, "weights")
        if found is None:
            return
        self._network.load_state_dict(found)
        load_optimizer(self._optimizer, load_tensors(loop.out, loop.state, "optimizer") or {})
        self._average = load_tensors(loop.out, loop.state, "average")

    def _encode(self, samples: Sequence[TrainingSample]) -> list[EncodedRow]:
        """Encode samples; those that occur in every epoch are encoded once."""
        fresh = [sample for sample in samples if id(sample) not in self._rows]
        made = dict(zip((id(sample) for sample in fresh), encode_for(self._loop.trained, fresh), strict=True))
        known = {id(sample) for sample in self._samples}
        self._rows.update({key: row for key, row in made.items() if key in known})
        return [self._rows.get(id(sample)) or made[id(sample)] for sample in samples]

    def run_epoch(self) -> None:
        """Run the remaining steps of an epoch."""
        loop, state, stage = self._loop, self._loop.state, self._loop.stage
        rng = epoch_rng(loop.recipe.seed, stage.name, state.epoch)
        rows = self._encode(sample_epoch(self._samples, rng))
        batches = plan_batches(rows, stage.batch, rng=rng, pairs=bool(stage.pairs))
        self._network.train()
        what = f"{stage.name}, epoch {state.epoch + 1} of {stage.epochs}"
        while state.step < len(batches) and not self.is_over():
            started = time.monotonic()
            steps = stage.epochs * len(batches)
            done = max(state.epoch * len(batches) + state.step, int(self._time_spent() * steps))
            set_rate(self._optimizer, done, steps, stage.warmup)
            self._step([rows[at] for at in batches[state.step]])
            state.step += 1
            state.total_steps += 1
            tracker = loop.tracker
            if tracker is not None and state.total_steps % _TRACK_EVERY == 0:
                rate = max(group["lr"] for group in self._optimizer.param_groups)
                tracker.log(state.total_steps, {"train/loss": self._losses[-1], "train/learning_rate": rate})
            spent = time.monotonic() - started
            state.seconds += spent
            state.stage_seconds += spent
            if state.step % loop.checkpoint_every == 0 and state.step < len(batches):
                self._save()
            loop.progress(what, state.step, len(batches))

    def is_over(self) -> bool:
        """Return whether the time of the stage is spent."""
        return self._time_spent() >= 1

    def _time_spent(self) -> float:
        """Return the share of the stage's time that its steps have taken; 0 without a limit."""
        minutes = self._loop.stage.minutes
        return self._loop.state.stage_seconds / (60 * minutes) if minutes else 0.0

    def _step(self, rows: Sequence[EncodedRow]) -> None:
        loop, state = self._loop, self._loop.state
        torch.manual_seed(
            epoch_rng(loop.recipe.seed, f"{state.stage}/{state.epoch}", state.step).getrandbits(62)
        )
        self._optimizer.zero_grad(set_to_none=True)
        batch = collate(self._network, rows, padding=padding(loop.trained), labels=self._objective.heads)
        loss = self._objective(self._network, batch)
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
        tensors = {"weights": weights(self._network), "optimizer": optimizer_tensors(self._optimizer)}
        if self._average is not None:
            tensors["average"] = self._average
        save_state(self._loop.out, self._loop.state, tensors)

    def evaluate(self) -> None:
        """Measure the epoch on the development data and keep its weights if they are the best so far."""
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
            save_file(weights(self._network), loop.out / state.best_weights)
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
        if loop.tracker is not None:
            loop.tracker.log(state.total_steps, {f"dev/{name}": value for name, value in figures.items()})
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


class Objective:
    """The weighted sum of the losses of all heads, of distillation and of pair ranking."""

    def __init__(self, recipe: Recipe, stage: Stage) -> None:
        self.stage = stage
        self.heads = stage.heads or tuple(recipe.heads)
        self.weights = {name: stage.weights.get(name, recipe.heads[name].weight) for name in self.heads}

    def __call__(self, network: DetectorNetwork, batch: TrainingBatch) -> Tensor:
        """Run the network and return the loss."""
        outputs = network(batch.ids, batch.mask, batch.features)
        total = torch.zeros(())
        for name in self.heads:
            total = total + self.weights[name] * self._head_loss(network.heads[name], name, outputs, batch)
        return total

    def _head_loss(self, head: Any, name: str, outputs: Mapping[str, Tensor], batch: TrainingBatch) -> Tensor:
        logits = outputs[name]
        loss: Tensor = head.loss(logits, batch.targets[name])
        distill = self.stage.distill
        if distill is not None and name in batch.teacher:
            loss = loss + distill.weight * head.soft_loss(logits, batch.teacher[name], distill.temperature)
        ranks = len(head.labels) == 1 and head.level == "text"
        if ranks and self.stage.pairs and name in batch.pairs:
            loss = loss + self.stage.pairs * pair_loss(logits, *batch.pairs[name])
        return loss


def make_optimizer(
    network: DetectorNetwork, stage: Stage, heads: tuple[str, ...], *, table: bool = True
) -> torch.optim.AdamW:
    """Return AdamW over the trainable parameters of a stage; each group stores its peak learning rate.

    Without ``table``, the subword embeddings are frozen.
    """
    freeze(network.encoder, stage.freeze)
    if not table:
        network.encoder.get_input_embeddings().weight.requires_grad_(False)  # type: ignore[operator,union-attr]
    for name, head in network.heads.items():
        head.requires_grad_(name in heads)
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in trainable(network):
        in_encoder = name.startswith("encoder.")
        rate = stage.lr if in_encoder or stage.head_lr is None else stage.head_lr
        # no weight decay for biases and norms
        decay = stage.weight_decay if parameter.dim() > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return torch.optim.AdamW(
        [
            {"params": some, "lr": rate, "weight_decay": decay, "rate": rate}
            for (rate, decay), some in groups.items()
        ],
        fused=True,
    )


def set_rate(optimizer: torch.optim.Optimizer, step: int, steps: int, warmup: float) -> None:
    """Set the learning rates of a step: linear warm-up to the peak, then linear decay to 0."""
    rise = max(1, round(warmup * steps))
    share = (step + 1) / rise if step < rise else (steps - step) / max(1, steps - rise)
    for group in optimizer.param_groups:
        group["lr"] = group["rate"] * max(0.0, min(1.0, share))


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the state of the optimizer as named tensors, so that no pickle is needed."""
    state = optimizer.state_dict()["state"]
    return {
        f"{number}.{name}": torch.as_tensor(value).detach().clone().contiguous()
        for number, entry in state.items()
        for name, value in entry.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Restore what :func:`optimizer_tensors` returned."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = value
    whole = optimizer.state_dict()
    optimizer.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
