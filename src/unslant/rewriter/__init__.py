"""The rewriter: a small sequence-to-sequence network that writes what could stand in place of marked words."""
