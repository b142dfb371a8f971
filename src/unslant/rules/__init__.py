"""The rule tier: a catalogue of slanted wording, matched in one automaton."""
