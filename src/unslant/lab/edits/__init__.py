"""The model of edits: what was judged, fitting, and measuring."""
