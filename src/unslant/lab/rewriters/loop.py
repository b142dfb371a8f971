"""The training loop of a phase. A resumed run makes the same steps as an uninterrupted one."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from unslant.lab.detector.batches import epoch_rng
from unslant.lab.detector.checkpoint import RunState, load_tensors, save_state
from unslant.lab.detector.loop import ProgressCallback, load_optimizer, optimizer_tensors
from unslant.lab.detector.network import weights
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase
from unslant.lab.rewriters.systems import RewriterSystem

__all__ = ["PhaseLoop", "plan_batches"]


def plan_batches(pairs: Sequence[Pair], size: int, rng: random.Random) -> list[list[Pair]]:
    """Return batches of pairs of similar length in random order; the weight of a pair is its frequency."""
    chosen = []
    for pair in pairs:
        whole, rest = divmod(pair.weight, 1)
        chosen += [pair] * (int(whole) + (rng.random() < rest))
    rng.shuffle(chosen)
    # sort by length within pools of many batches: little padding, and a different mix in every epoch
    pool = size * 50
    ordered = [
        pair
        for start in range(0, len(chosen), pool)
        for pair in sorted(chosen[start : start + pool], key=lambda pair: len(pair.source))
    ]
    batches = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    rng.shuffle(batches)
    return batches


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
            from safetensors.torch import load_file

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
            state.decisions["loss"] = _add_loss(state.decisions.get("loss", {}), float(loss.detach()))
            state.seconds += time.monotonic() - started
            if state.step % self.checkpoint_every == 0 and state.step < len(batches):
                self._save(optimizer)
            self.progress(what, state.step, len(batches))

    def _evaluate(self, dev: Sequence[Pair], optimizer: torch.optim.Optimizer) -> None:
        """Measure the epoch on the development pairs and keep its weights if they are the best so far."""
        from safetensors.torch import save_file

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


def _add_loss(sums: dict[str, float], loss: float) -> dict[str, float]:
    return {"sum": sums.get("sum", 0.0) + loss, "count": sums.get("count", 0) + 1}


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
