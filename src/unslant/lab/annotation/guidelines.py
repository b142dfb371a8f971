"""Guidelines for annotators, with examples, as they are shown inside a Label Studio project.

The examples are those of the taxonomy: sentences in which words slant, and sentences that look similar and do not.
"""

from __future__ import annotations

from itertools import islice
from xml.etree import ElementTree as ET

from unslant.core.taxonomy import kind, kinds, technique, techniques

_BIAS = (
    "A sentence is biased if its wording takes a side, praises, blames or casts doubt where a neutral one would not.",
    "Judge the wording, not the topic, the speaker, or whether you agree. Bad news in plain words is not biased.",
    "Quoted words and views that are attributed to somebody are not the writer's.",
    "Mark as few words as carry the bias, and treat all political sides alike: swap the names, and judge again.",
)
_RULES: dict[str, tuple[str, ...]] = {
    "sentences": _BIAS,
    "kinds": (
        "Choose the kind that explains best why an editor changed the words.",
        "Framing takes a side by the choice of words; epistemological wording makes something sound more or less "
        "certain than it is; demographic wording demeans or generalizes about a group of people.",
        "Not every edit removes bias. If the words are neutral in their sentence, say so.",
    ),
    "edits": (
        "Mark the words as they were and as they became, whole words, as few as possible.",
        "Words that only moved, and changes of spelling or punctuation, are not marked.",
    ),
    "collect": _BIAS[:2],
    "verify": _BIAS[:2],
    "refine": _BIAS[:2],
}
_WITH_EXAMPLES = ("sentences", "kinds")
_EACH = 3
"""Techniques of each kind of which an example is shown."""


def add_guidelines(view: ET.Element, form: str) -> None:
    """Add a panel that annotators can open to a labelling configuration; nothing for a form without guidelines."""
    if form not in _RULES:
        return
    panel = ET.SubElement(ET.SubElement(view, "Collapse", bordered="true"), "Panel", value="Guidelines")
    for rule in _RULES[form]:
        ET.SubElement(panel, "Header", value=rule, size="6")
    if form in _WITH_EXAMPLES:
        for name in kinds():
            ET.SubElement(panel, "Header", value=f"{name}: {kind(name).meaning}", size="5")
            found = (each for each in map(technique, techniques()) if each.kind == name)
            for each in islice((each for each in found if each.flags and each.passes), _EACH):
                said = f"{each.title}. Biased: {each.flags[0]} Not biased: {each.passes[0]}"
                ET.SubElement(panel, "Header", value=said, size="6")


def guidelines_markdown(form: str) -> str:
    """Return the guidelines with all techniques as Markdown, to read before the work; empty for a form without any."""
    if form not in _RULES:
        return ""
    lines = ["# Guidelines", "", *(f"- {rule}" for rule in _RULES[form])]
    if form in _WITH_EXAMPLES:
        for name in kinds():
            lines += ["", f"## {name}", "", kind(name).meaning, ""]
            lines += ["| technique | biased | not biased |", "|---|---|---|"]
            for each in map(technique, techniques()):
                if each.kind == name:
                    slanted, neutral = ("<br>".join(some) for some in (each.flags, each.passes))
                    lines.append(f"| {each.title} | {slanted} | {neutral} |")
    return "\n".join(lines) + "\n"
