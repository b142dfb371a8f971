"""An HTTP server over the one path: check, fix and compare texts, and a page to write in."""
