"""One-line mutations of important lines, each with the test that notices; only run when asked for with -m mutation."""
