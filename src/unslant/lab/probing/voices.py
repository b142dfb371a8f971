"""Language models as those who answer questions: open ones, that are led token by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from unslant.core.errors import ModelError
from unslant.lab.probing.constraints import AnswerTrie, Constraint, DocumentSpans, DocumentTokens
from unslant.lab.probing.descriptions import dimension_answers, layout
from unslant.lab.probing.packing import tree_size
from unslant.lab.probing.prompts import Answer, Question
from unslant.lab.probing.requests import Request, Written
from unslant.protocols import LanguageModel

__all__ = ["Finished", "OpenVoice", "Voice", "allowed_answers", "open_voice"]

Finished = Callable[[list[int], list[Answer]], None]


class Voice(Protocol):
    """Answers questions."""

    name: str

    @property
    def room(self) -> int | None:
        """How many tokens it can see; None where it does not say."""
        ...

    def digest(self) -> str:
        """Return what tells this model from others."""
        ...

    def length(self, text: str) -> int:
        """Return how many tokens a text has, at least roughly."""
        ...

    def cost(self, prompts: Sequence[str]) -> int:
        """Return how many tokens have to be read for the prompts."""
        ...

    def ask(self, questions: Sequence[Question], finished: Finished | None = None) -> list[Answer]:
        """Return one answer per question, in order; ``finished`` hears of some as soon as they are there."""
        ...


def allowed_answers(question: Question) -> Mapping[str, str]:
    """Return what may be answered to a closed question, by its meaning."""
    if question.choices:
        return dict(question.choices)
    return {"yes": layout().yes, "no": layout().no} if question.task == "diagnosis" else dimension_answers()


def open_voice(
    model: LanguageModel, *, chat: bool = False, line_ends: bool = True, early_end: bool = False
) -> Voice:
    """Return the voice of a language model: open if it shows its logits, else closed."""
    if hasattr(model, "tokenizer") and hasattr(model, "model"):
        return OpenVoice(model, chat=chat, line_ends=line_ends, early_end=early_end)
    from unslant.lab.probing.closed import ClosedVoice

    return ClosedVoice(model, chat=chat)


class OpenVoice:
    """A causal model of transformers; constrained answers are right in form by construction.

    An answer ends with the model's own end token or, with ``line_ends``, with its line: a model that was shown
    examples ends an answer as they do. ``early_end`` lets a dimension end in its middle, as published.
    """

    def __init__(
        self, model: Any, *, chat: bool = False, line_ends: bool = True, early_end: bool = False
    ) -> None:
        from unslant.lab.probing.reading import PromptReader

        self.name: str = model.name
        self._model = model
        self._tokenizer = model.tokenizer
        self._chat, self._early = chat, early_end
        ends = set(model.ends)
        for line in ("\n", "\n\n") if line_ends else ():
            found = self._ids(line)
            if len(found) == 1 and self._tokenizer.decode(found) == line:
                ends.add(found[0])
        self.reader = PromptReader(model.model, sorted(ends))
        self._tries: dict[tuple[str, ...], AnswerTrie[str]] = {}

    @property
    def room(self) -> int | None:
        """How many tokens it can see."""
        found = getattr(self._model.model.config, "max_position_embeddings", None)
        return int(found) if found else None

    def digest(self) -> str:
        """Return a digest of the weights."""
        return str(self._model.digest())

    def length(self, text: str) -> int:
        """Return how many tokens a prompt has."""
        return len(self._model.encode(text, chat=self._chat))

    def cost(self, prompts: Sequence[str]) -> int:
        """Return how many tokens are read, what prompts share counted once."""
        encoded = [self._model.encode(one, chat=self._chat) for one in prompts]
        return tree_size(encoded) if self.reader.packed else sum(map(len, encoded))

    def ask(self, questions: Sequence[Question], finished: Finished | None = None) -> list[Answer]:
        """Return one answer per question, in order."""
        asked = [self._request(one) for one in questions]

        def hear(places: list[int], written: list[Written]) -> None:
            if finished is not None:
                pairs = zip(places, written, strict=True)
                finished(places, [self._answer(questions[at], *asked[at], one) for at, one in pairs])

        found = self.reader.write([request for request, _ in asked], hear)
        return [
            self._answer(one, *pair, said) for one, pair, said in zip(questions, asked, found, strict=True)
        ]

    def _request(self, question: Question) -> tuple[Request, list[tuple[int, int]]]:
        tokens = self._model.encode(question.prompt, chat=self._chat)
        if question.decoding == "choice":
            return Request(tokens, self._trie(question)), []
        document, offsets = self._pieces(question)
        constraint: Constraint | None = None
        if question.decoding == "span":
            blank = {at for at, (low, high) in enumerate(offsets) if not question.document[low:high].strip()}
            constraint = DocumentSpans(document, blank)
        elif question.decoding == "constrained":
            constraint = DocumentTokens(document)
        request = Request(
            tokens,
            constraint,
            # what is extracted or rephrased is at most as long as what it is taken from
            longest=max(1, len(document)),
            temperature=question.temperature,
            top_k=question.top_k,
            seed=question.seed,
        )
        return request, offsets

    def _answer(
        self, question: Question, request: Request, offsets: Sequence[tuple[int, int]], written: Written
    ) -> Answer:
        if question.decoding == "choice":
            trie = self._trie(question)
            said = trie.answer(written.state)
            if question.task == "diagnosis":
                yes = written.probability if said == "yes" else 1 - written.probability
                return Answer(str(said), yes)
            return Answer(said or "", written.probability)
        if question.decoding == "span":
            assert isinstance(request.constraint, DocumentSpans)  # noqa: S101 - made above
            if not written.tokens:  # a document without a token that could begin
                return Answer("", judged=False)
            first, last = request.constraint.place(written.state, len(written.tokens))
            return _stretch(question.document, offsets[first][0], offsets[last - 1][1], written.probability)
        text = str(self._tokenizer.decode(written.tokens, skip_special_tokens=True))
        return Answer(text.strip().partition("\n")[0].strip())

    def _trie(self, question: Question) -> AnswerTrie[str]:
        anchor = "" if self._chat else question.prompt[-12:]
        first = "" if self._chat else question.lead
        key = (question.task, anchor, first)
        if key not in self._tries:
            spelled = allowed_answers(question).items()
            answers = {name: self._continuation(anchor, first + said) for name, said in spelled}
            self._tries[key] = AnswerTrie(answers, early_end=self._early and question.task != "diagnosis")
        return self._tries[key]

    def _continuation(self, anchor: str, text: str) -> list[int]:
        before, whole = self._ids(anchor), self._ids(anchor + text)
        if anchor and whole[: len(before)] == before and len(whole) > len(before):
            return whole[len(before) :]
        return self._ids(text)

    def _ids(self, text: str) -> list[int]:
        return [int(one) for one in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def _pieces(self, question: Question) -> tuple[list[int], list[tuple[int, int]]]:
        if question.decoding == "span" and not self._tokenizer.is_fast:
            raise ModelError(
                f"{self.name}: its tokenizer does not say where tokens stand; use another --decoding than span"
            )
        wanted = {"return_offsets_mapping": True} if question.decoding == "span" else {}
        found = self._tokenizer(question.document, add_special_tokens=False, **wanted)
        return list(found["input_ids"]), [(int(a), int(b)) for a, b in found.get("offset_mapping", ())]


def _stretch(document: str, start: int, end: int, probability: float) -> Answer:
    """Return a stretch of the document without white space at its ends."""
    said = document[start:end]
    start += len(said) - len(said.lstrip())
    return Answer(said.strip(), probability, (start, start + len(said.strip())))
