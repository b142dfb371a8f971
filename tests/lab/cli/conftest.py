"""Running the commands of the lab as a user does."""

from __future__ import annotations

from tests.cli.conftest import Run, folder, run

__all__ = ["Run", "folder", "run"]
