"""A language server: what ``unslant check`` finds, underlined while one writes."""
