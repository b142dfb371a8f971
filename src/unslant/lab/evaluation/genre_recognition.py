"""Measures how often the kind of a text is recognised, on documents that the model has not learned from.

*Recognised* is the share of passages whose likeliest kind is the right one; *profile* the share for which ``auto``
takes the profile of their kind, which it does only where the model is sure; what is not clear is judged as news.
"""

from __future__ import annotations

from unslant.core.types import Document
from unslant.genre import recognise
from unslant.lab.corpora.catalogue import data_folders
from unslant.lab.detector.genre import KINDS, read_genre_passages
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ratios
from unslant.profiles import detect_profile


def genre_recognition(setting: Setting) -> Result:
    """Measure on the held-out passages of every kind."""
    passages = [passage for passage in read_genre_passages(data_folders(setting.data)[0]) if passage.held_out]
    judged = []
    for passage in passages:
        found = recognise(passage.text)
        taken = detect_profile(Document(passage.text, passage.text))
        right = found is not None and found.name == passage.kind
        judged.append((passage, float(right), float(taken == passage.kind)))
    sections = []
    for kind in ("all", *KINDS):
        rows = [(1.0, right, taken) for passage, right, taken in judged if kind in ("all", passage.kind)]
        measures = ratios(rows, {"recognised": (1, 0), "profile": (2, 0)})
        about = figures("genre", measures, setting.resampling)
        sections.append(Section(kind, about, "" if kind == "all" else "by kind of text"))
    notes = (
        "recognised: the likeliest kind is the right one; profile: 'auto' takes the profile of that kind",
        "held out: every fifth document; opinion is told by its form, and not measured here",
    )
    return Result("genre", "default", tuple(sections), notes)
