"""Abbreviations of English prose, and words that do and do not end a sentence after them.

nupunkt's own list was learned from legal papers and holds everyday words (*cold*, *hard*, *will*, *bank*),
after which it then misses the end of the sentence. This list takes its place; docs/sentences.md says what
that changes.
"""

from __future__ import annotations

__all__ = ["ABBREVIATIONS", "NEVER_LAST", "ONLY_BEFORE_NUMBERS", "OPENERS"]

_TITLES = """
    mr mrs ms mx messrs mme mlle dr drs prof profs hon rev revd fr st ste sen sens rep reps gov govs
    pres gen lt col capt cpt cmdr cdr sgt cpl maj brig adm pvt ofc det insp supt supts atty asst dep
"""
_NAMES = "jr sr esq inc incs corp co cos ltd llc plc bros assn assoc dept univ inst mfg govt natl intl admin"
_PLACES = """
    ave blvd rd ln pkwy hwy sq apt bldg ft mt mts pt ala ariz ark calif colo conn del fla ga ill ind
    kan ky md mich minn miss mo mont neb nev okla pa penn tenn tex va vt wis wyo
"""
_DATES = "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
_NUMBERED = (
    "no nos art arts sec secs sect ch chap fig figs eq eqs vol vols p pp par para pt pts ex col cols app tab"
)
_MEASURES = "approx est min max hr hrs lb lbs oz kg km cm mm yd yds mi mph sq tbsp tsp gal qt bn mn"
_LATIN = "al ca cf cit et etc ibid viz vs v op loc seq sc fl ed eds trans repr rev resp incl excl"
_INITIALS = " ".join("abcdefghijklmnopqrstuvwxyz")

ABBREVIATIONS = frozenset(
    " ".join((_TITLES, _NAMES, _PLACES, _DATES, _NUMBERED, _MEASURES, _LATIN, _INITIALS)).split()
)
"""In lower case and without the last full stop; those with a full stop inside (*p.m.*) come from nupunkt."""

ONLY_BEFORE_NUMBERS = frozenset(
    (_NUMBERED + " jun jul mar dec sat sun wed mon fri ill miss ex par app tab max min yd mi").split()
)
"""Everyday words and references: abbreviations only where no capital follows (*No. 5*; *No. Ann has it.*)."""

NEVER_LAST = frozenset(_TITLES.split()) | {"v", "vs", "cf", "viz", "e.g", "i.e", "ca", "al", "et", "op"}
"""What always needs something after it, so that a capital there begins no sentence."""

_OPENERS = """
    A An The This That These Those He She It They We You His Her Its Their Our My Your There Here
    But And Or So Yet If When While Although Though Because Since Until Unless After Before As At By
    For From In On Then Later Both Each Every Many Most Some Several Few Nobody No None Nothing Not
    Neither However Meanwhile Moreover Instead What Who Why How Where Which Is Are Was Were Did Does
    Do
"""
OPENERS = frozenset(_OPENERS.split())
"""Capitalised words that begin a sentence even after an abbreviation: they are hardly ever part of a name."""
