"""Audits inside Inspect, promptfoo and lm-eval: they ask the model, unslant has the requests and measures."""
