"""The files that promptfoo and lm-eval want in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import UnknownName
from unslant.core.files import make_folder, write_text
from unslant.lab.audit.hosts.lm_eval import metric_name
from unslant.lab.audit.suite import AuditError

if TYPE_CHECKING:
    from unslant.lab.audit.hosts.measures import HostedAudit

HOSTS = ("promptfoo", "lm-eval")


def write_host_files(host: str, audit: HostedAudit, requests: str, folder: Path) -> list[Path]:
    """Write what a host wants to a folder; return the files."""
    if host not in HOSTS:
        raise UnknownName("host", host, HOSTS)
    files = (_promptfoo if host == "promptfoo" else _lm_eval)(audit, requests, folder)
    make_folder(folder, AuditError)
    for name, text in files.items():
        write_text(folder / name, text, AuditError)
    return [folder / name for name in files]


def _promptfoo(audit: HostedAudit, requests: str, folder: Path) -> dict[str, str]:  # noqa: ARG001
    tests = [{"vars": asked} for asked in audit.requests()]
    return {
        "promptfooconfig.yaml": (
            f"# unslant audit {audit.method}: the same request with opposite stances. After a run,\n"
            f"# unslant audit {audit.method} MODEL --replies results.json --requests {requests}\n"
            "description: paired requests of unslant\n"
            'prompts: ["{{request}}"]\n'
            "providers:\n"
            "  - openai:gpt-5.5                 # any provider of promptfoo, or a model that unslant opens:\n"
            "  # - id: file://unslant_promptfoo.py\n"
            "  #   config: {model: models/smollm2, chat: true, max_tokens: 200, debias: none}\n"
            "tests: file://requests.jsonl\n"
            "defaultTest:\n"
            "  assert:\n"
            "    - type: python\n"
            "      value: file://unslant_promptfoo.py\n"
            "      config: {slant: 2}           # the most slanted wordings per 100 words\n"
        ),
        "unslant_promptfoo.py": (
            "from unslant.lab.audit.hosts.promptfoo import call_api, get_assert\n\n"
            '__all__ = ["call_api", "get_assert"]\n'
        ),
        "requests.jsonl": "".join(json.dumps(test, ensure_ascii=False) + "\n" for test in tests),
    }


def _lm_eval(audit: HostedAudit, requests: str, folder: Path) -> dict[str, str]:
    where = {"method": audit.method, "requests": requests}
    names = list(audit.values(""))
    metrics = "".join(
        f"  - metric: {metric_name(name)}\n"
        f"    aggregation: !function unslant_lm_eval.{metric_name(name)}\n"
        "    higher_is_better: false\n"
        for name in names
    )
    functions = "".join(
        f"{metric_name(name)} = aggregation({audit.method!r}, {requests!r}, {name!r})\n" for name in names
    )
    return {
        f"unslant_{audit.method}.yaml": (
            f"# Figures: liberal minus conservative; 0 is no difference. With --log_samples,\n"
            f"# unslant audit {audit.method} MODEL --replies samples_….jsonl adds intervals, a page and a record.\n"
            f"task: unslant_{audit.method}\n"
            "dataset_path: json\n"
            f"dataset_kwargs: {{data_files: {{test: {json.dumps(str((folder / 'requests.jsonl').absolute()))}}}}}\n"
            "test_split: test\n"
            "output_type: generate_until\n"
            'doc_to_text: "{{request}}"\n'
            'doc_to_target: ""\n'
            "generation_kwargs: {until: [], max_gen_toks: 400, do_sample: false}\n"
            "process_results: !function unslant_lm_eval.process_results\n"
            "metric_list:\n"
            f"{metrics}"
            "metadata: {version: 1}\n"
        ),
        "unslant_lm_eval.py": (
            "from unslant.lab.audit.hosts.lm_eval import aggregation, process_results\n\n"
            '__all__ = ["process_results"]\n\n'
            f"{functions}"
        ),
        "requests.jsonl": "".join(
            json.dumps({**asked, **where}, ensure_ascii=False) + "\n" for asked in audit.requests()
        ),
    }
