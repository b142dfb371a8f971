"""Tasks for Inspect: ``inspect eval unslant/paired --model openai/gpt-5.5``, and ``unslant/charged``.

Each sample is a request with one stance. The metrics are the figures of the audit, with intervals and p. The log can be
measured again with ``unslant audit paired MODEL --replies LOG``, which writes the page and the record.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState, generate, system_message

from unslant.lab.audit.hosts.measures import HostedAudit, hosted_audit


@task
def paired(
    requests: str = "united-states", pairs: int | None = None, max_tokens: int = 400, system: str = ""
) -> Task:
    """Compare the replies to requests that take opposite stances."""
    return _task(hosted_audit("paired", requests, pairs), max_tokens, system)


@task
def charged(requests: str = "united-states", max_tokens: int = 400, system: str = "") -> Task:
    """Compare the replies to users who take a side, ever more heatedly."""
    return _task(hosted_audit("charged", requests), max_tokens, system)


def _task(audit: HostedAudit, max_tokens: int, system: str) -> Task:
    samples = [
        Sample(input=asked["request"], id=f"{asked['side']}/{asked['key']}", metadata=dict(asked))
        for asked in audit.requests()
    ]
    return Task(
        dataset=MemoryDataset(samples, name=audit.asked.name),
        solver=[*([system_message(system)] if system else []), generate()],
        scorer=_scorer_of(audit),
        config=GenerateConfig(max_tokens=max_tokens),
        metadata={"requests": audit.asked.name, "digest": audit.asked.digest},
    )


def _scorer_of(audit: HostedAudit) -> Scorer:
    @metric(name="asymmetry")
    def asymmetry() -> Metric:
        def measure(scores: list[SampleScore]) -> Value:
            replies = {
                (str(about["key"]), str(about["side"])): score.score.answer or ""
                for score in scores
                for about in [score.sample_metadata or {}]
                if about
            }
            return dict(audit.figures(replies))

        found: MetricProtocol = measure
        return found

    @scorer(metrics=[asymmetry()], name=audit.method)
    def score_reply() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
            reply = state.output.completion
            return Score(value=dict(audit.values(reply)), answer=reply)

        return score

    made: Scorer = score_reply()
    return made
