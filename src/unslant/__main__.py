"""``python -m unslant``."""

from unslant.cli.main import run

run()
