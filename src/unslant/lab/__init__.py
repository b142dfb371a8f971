"""What a researcher runs: corpora, training, evaluation, audits. The linter imports nothing of it."""
