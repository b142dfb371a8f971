"""``unslant baseline``: accept today's findings, so that only new ones are reported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from unslant.cli.exits import Exit
from unslant.cli.progress import Progress
from unslant.cli.settings import config_options, settings_cache
from unslant.core.types import Finding
from unslant.workspace.baseline import entry_name, write
from unslant.workspace.plan import Inputs, plan
from unslant.workspace.run import check_jobs

__all__ = ["baseline"]


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("unslant-baseline.json"),
    help="Where to write it.  [unslant-baseline.json]",
)
@config_options
def baseline(paths: tuple[str, ...], output: Path, config: Path | None, no_config: bool) -> int:
    """Check PATHS and write down all findings as accepted.

    Then 'unslant check --baseline FILE' reports only what is new. A file that cannot be checked is told,
    and the others are written down all the same.
    """
    cache = settings_cache(config, no_config)
    settings = cache.for_path(Path.cwd())
    work = plan(Inputs(paths, sys.stdin.buffer), settings, cache.for_path)
    progress = Progress(sum(job.size for job in work.jobs))
    accepted: dict[str, tuple[Finding, ...]] = {}
    failed = list(work.failures)
    for outcome in progress.around(
        check_jobs(work.jobs, settings.jobs or os.cpu_count() or 1, progress.advance)
    ):
        if outcome.report is None:
            failed.append(outcome)
        elif outcome.report.findings:
            accepted[entry_name(Path(outcome.path), output)] = outcome.report.findings
    for outcome in failed:
        click.echo(f"unslant: {outcome.error}", err=True)
    count = write(output, accepted)
    click.echo(f"{count} findings in {len(accepted)} files accepted in {output}")
    return Exit.USAGE if failed else Exit.CLEAN
