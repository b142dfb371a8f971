"""A language server: what ``unslant check`` finds, underlined as you type."""
