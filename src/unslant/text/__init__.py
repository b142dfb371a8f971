"""From a file's text to sentences: formats, readers, quotations, inline ignores."""
