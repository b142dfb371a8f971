"""Versions, in a module of their own so that reading them costs nothing."""

VERSION = "0.1.0"
TAXONOMY = 1
"""The version of the kinds and dimensions; that of their data, repeated here so that naming it costs nothing."""
