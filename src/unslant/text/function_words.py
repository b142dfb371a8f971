"""English function words, and a few other words, that determine the part of speech of the words around them."""

from __future__ import annotations

INDEFINITE = frozenset(("a", "an"))
THE = frozenset(("the",))
ARTICLES = frozenset("a an the his her its their my our your whose every".split())
DETERMINERS = ARTICLES | frozenset(
    "this these those each some any no another such both either neither several many few all much more most less first "
    "second third last next other one two three four five six seven eight nine ten twelve twenty hundred thousand "
    "million dozens numerous various own same".split()
)
PREPOSITIONS = frozenset(
    "of in on at by for with from about against between into through during without within over under among upon "
    "across behind beyond despite regarding concerning toward towards via per like amid since after before until "
    "near around outside inside above below".split()
)
MODALS = frozenset(
    "will would can could may might must shall should do does did don't doesn't didn't won't wouldn't can't couldn't "
    "cannot mustn't shouldn't please let's".split()
)
BE = frozenset("is are was were be been being am isn't aren't wasn't weren't he's she's it's who's".split())
HAVE = frozenset("has have had having hasn't haven't hadn't they've we've i've you've".split())
LINKING = BE | frozenset(
    "seem seems seemed become becomes became remain remains remained look looks looked feel feels felt sound sounds "
    "sounded appear appears appeared get gets got grow grows grew turn turns turned go goes went fall fell".split()
)
SUBJECTS = frozenset(
    "i he she they we you it who which nobody everyone everybody someone anyone others".split()
)
OBJECT_PRONOUNS = frozenset("him them us me it".split())
OBJECTS = OBJECT_PRONOUNS | frozenset("that how why what when where whether".split())
CONJUNCTIONS = frozenset("and or but nor yet as than if when while because though although so".split())
ADVERBS = frozenset(
    "not never ever also often once already long now then soon still just even only always sometimes well so very too "
    "rather quite almost again n't today yesterday tomorrow tonight here there later earlier".split()
)
NO_ADVERBS = frozenset(
    "family supply reply assembly italy anomaly monopoly rally bully early elderly likely unlikely daily weekly "
    "monthly friendly lonely deadly costly ugly silly holy lively lovely cowardly ghastly unruly scholarly".split()
)
DEGREES = frozenset("more most less least as".split())
PARTICLES = frozenset("out back up down off away".split())
PASTS = frozenset(
    "took came went made said told hit began fell rose led got gave kept ran saw became broke met won lost found "
    "sold held brought set stood grew put cut drew sent built bought wrote knew thought spent".split()
)
"""Irregular past forms that are common enough to follow a subject or to precede an object."""
SHORT_PASTS = frozenset("died used owed fled tied lied".split())
"""Pasts that are too short to be told by their ending."""
SAME_IN_THE_PAST = frozenset("hit cut put set shut split spread hurt cost cast burst bid quit beat".split())
PLURALS = frozenset("people men women children police media data".split())
NO_PLURALS = frozenset(
    "news series species sports arms sales gas politics economics physics athletics ethics "
    "paris tennis".split()
)
ADJECTIVES = frozenset(
    "old new young big small large great high low good bad long short early late recent similar empty sudden grand "
    "pure main major minor free full open hard heavy strong weak public local angry final former true false "
    "daily weekly monthly".split()
)
ADJECTIVE_ENDINGS = ("ous", "ful", "able", "ible", "less", "ical")
PERHAPS_ADJECTIVE_ENDINGS = ("al", "ive", "ic", "ary")
"""Also those of an official, an executive, a critic and a secretary."""
NOUN_ENDINGS = ("ment", "tion", "student", "president", "agent", "parent", "resident")
"""Endings of nouns that look like those of adjectives."""
ALSO_PEOPLE = frozenset(
    "blind deaf dumb mute poor rich old young sick dead gay straight black white brown male female lame mad crazy "
    "insane native elderly wealthy needy extreme great lunatic alcoholic autistic schizophrenic hispanic illegal "
    "criminal conservative progressive".split()
)
"""Adjectives without a typical ending that are also used as nouns: *the poor*."""
ALSO_PEOPLE_ENDINGS = ("ical", "eral", "sexual", "able", "less", "ed")
ADVERBS_FIRST = frozenset("just only even still very".split())
"""Adverbs that are adjectives only directly before a noun or at the end: *a just society*, *the lake was still*."""
BOTH_WAYS = ADVERBS_FIRST | frozenset("pretty hard far right well fast straight".split())
TAKES_TO = frozenset(
    "due prone according subject access response vulnerable open close opposed reaction similar exposed addition "
    "threat led leads leading lead contrast thanks damage end switch".split()
)
"""Words after which *to* is a preposition: *prone to attack*."""
NEVER_VERBS = ("man", "men", "ist", "ists", "ism", "ness", "ity", "ship", "hood", "ian", "ians")
"""Endings of nouns that are not verbs."""
BREAKS = PREPOSITIONS | MODALS | BE | HAVE | SUBJECTS | OBJECTS | CONJUNCTIONS | {"to", ""}
"""Words that the word before them cannot modify."""
FUNCTION = BREAKS | DETERMINERS | LINKING | ADVERBS | PARTICLES
