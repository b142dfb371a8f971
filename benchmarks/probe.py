"""Compare packed prompts with prompts read one by one: diagnosis with examples, same answers, one run.

    python benchmarks/probe.py MODEL --data ../shared/data --items 40

The baseline is ``model(**tokenizer(prompt))`` for each prompt, as in most scripts. Both use one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from unslant.lab.lm import open_model
from unslant.lab.probing.answerers import LogitAnswerer
from unslant.lab.probing.descriptions import ProbeQuestion
from unslant.lab.probing.probe import prepare
from unslant.lab.probing.settings import ProbeSettings


def plain(model: object, questions: list[ProbeQuestion]) -> list[float]:
    """Return the probability of yes for each prompt, read on its own."""
    tokenizer, network = model.tokenizer, model.model  # type: ignore[attr-defined]
    found = []
    with torch.no_grad():
        for question in questions:
            logits = network(**tokenizer(question.prompt, return_tensors="pt")).logits[0, -1]
            answers = [
                tokenizer(question.answer_prefix + said, add_special_tokens=False).input_ids[0]
                for said in ("Yes", "No")
            ]
            found.append(float(torch.softmax(logits[answers].float(), 0)[0]))
    return found


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(start: tuple[float, float]) -> tuple[float, float]:
    """Return wall-clock and CPU time; on a busy machine only the second is reliable."""
    now = _clocks()
    return now[0] - start[0], now[1] - start[1]


def main() -> None:
    """Time both methods and compare their answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--shots", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = open_model(options.model)
    answerer = LogitAnswerer(model)
    setting = ProbeSettings(shots=(options.shots,), items=options.items, data=options.data, part="test")
    with TemporaryDirectory() as folder:
        work = prepare("diagnosis", answerer, setting, Path(folder) / "answers.jsonl")
        jobs = [job for block in work.plan.blocks() for job in block if work.plan.fits(job)]
        questions = [work.plan.question(job) for job in jobs]
        plain(model, questions[:2])
        start, before = _clocks(), answerer.generator.tokens_read
        together = [answer.probability for answer in answerer.answer(questions)]
        fast, read = _since(start), answerer.generator.tokens_read - before
        start = _clocks()
        alone = plain(model, questions)
        slow = _since(start)
    off = max(abs(first - (other or 0)) for first, other in zip(alone, together, strict=True))
    same = sum((first > 0.5) == ((other or 0) > 0.5) for first, other in zip(alone, together, strict=True))
    total = sum(answerer.count_tokens(question.prompt) for question in questions)
    print(
        f"{len(questions)} prompts of diagnosis with {options.shots} examples, {options.items} texts, 3 wordings"
    )
    print(f"one by one  {slow[0]:8.1f} s  {slow[1]:8.1f} s of CPU  {total:9,} tokens")
    print(f"together    {fast[0]:8.1f} s  {fast[1]:8.1f} s of CPU  {read:9,} tokens")
    print(f"ratio       {slow[0] / fast[0]:8.1f}    {slow[1] / fast[1]:8.1f}")
    print(f"same answers {same} of {len(questions)}, largest difference of a probability {off:.1e}")


if __name__ == "__main__":
    main()
