"""The interfaces between the parts: a batch goes in, a list of the same length and order comes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from unslant.core.types import Analysis, Document, Sentence, Span

if TYPE_CHECKING:  # a check has no use for them
    from unslant.core.generation import Generation, Sampling


@runtime_checkable
class Reader(Protocol):
    """Knows the markup of one format."""

    def mask(self, source: str) -> str:
        r"""Return text of the same length in which everything that is not prose is blanked.

        Blanked code points become spaces; line ends (``\n``, ``\r``) always stay.
        """
        ...

    def blocks(self, source: str) -> tuple[Span, ...] | None:
        """Return the ranges that no sentence crosses, in order; None: blank lines decide."""
        ...

    def quotations(self, source: str) -> tuple[Span, ...]:
        """Return what the markup itself says is quoted (block quotes, ``<q>``), in order."""
        ...

    def comments(self, source: str) -> tuple[Span, ...]:
        """Return the comments that may hold an inline ignore, in order, delimiters included."""
        ...


@runtime_checkable
class Segmenter(Protocol):
    """Knows where sentences begin and end."""

    def split(self, document: Document) -> Iterator[Sentence]:
        """Yield the sentences in order, without surrounding white space; blank ranges yield none."""
        ...


@runtime_checkable
class Analyzer(Protocol):
    """Analyzes sentences: findings, probabilities, proposed edits."""

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        ...


@dataclass(frozen=True, slots=True)
class WordsInSentence:
    """Words of a sentence for which a wording is wanted."""

    sentence: str
    """The sentence, markup blanked."""
    span: Span
    """The words, by their position in the sentence."""
    technique: str | None = None
    """What the words do, as the taxonomy names it, or the id of the finding; None where nobody said."""
    before: str = ""
    """The sentence before, if there is one."""
    why: str = ""
    """What is wrong with the words, as the writer is told."""
    profile: str = ""
    """The profile whose standard the text is judged by; empty: nobody said."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What could be written in the place of exactly those words."""

    text: str
    """Empty: leave them out."""
    log_probability: float
    """Of the whole wording: the sum over its subwords."""
    author: str = ""
    """The language model that wrote it, if the user asked one by name; empty: a rewriter that has a record."""


class Unanswered(list[Wording]):
    """No wordings, because a rewriter could not be asked; the writer is told why."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self.why = why


@runtime_checkable
class Rewriter(Protocol):
    """Proposes wordings."""

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return up to eight wordings for each passage, the best first; none where nothing is better.

        What could not be asked about is :class:`Unanswered`.
        """
        ...


@runtime_checkable
class Traceable(Protocol):
    """An analyzer whose findings depend on more than the spec and the version."""

    provenance: Mapping[str, str]
    """What else was run, such as a model's digest; it is put into every report."""


@runtime_checkable
class Forgetful(Protocol):
    """An analyzer or segmenter that remembers what it said about texts."""

    def forget(self) -> None:
        """Forget it; what is loaded stays."""
        ...


@runtime_checkable
class Loading(Protocol):
    """An analyzer that goes on loading after it was made."""

    def ready(self) -> None:
        """Wait until it can analyze; raise if it cannot be loaded."""
        ...


@runtime_checkable
class Proposing(Protocol):
    """An analyzer whose proposals of edits take time."""

    def stop_proposing(self) -> None:
        """Propose no more edits: nobody will look at them."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """Continues texts, and says how likely a continuation is."""

    name: str
    """As the user named it."""

    def digest(self) -> str:
        """Return what tells this model from others; equal weights have equal digests."""
        ...

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        """Return one text per prompt and seed, in order; a text does not depend on its neighbours."""
        ...

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return, for each prompt, the natural log probability of every token of its continuation."""
        ...


@runtime_checkable
class OpenLanguageModel(LanguageModel, Protocol):
    """A language model that shows its hidden states and can be driven token by token.

    ``Any`` stands for a decoding state that only the model and its caller understand.
    """

    def prefill(self, prompts: Sequence[str], *, chat: bool = False) -> Any:
        """Read the prompts; the state has the logits and hidden states of the next token."""
        ...

    def step(self, state: Any, tokens: Any) -> Any:
        """Add one token to each text and return the next state."""
        ...
