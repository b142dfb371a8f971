"""Language models that only write, or at most score texts: their answers are believed as far as they fit."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from zlib import crc32

from unslant.core.errors import ConfigError, ModelError
from unslant.core.generation import Sampling
from unslant.lab.probing.prompts import Answer, Question
from unslant.lab.probing.voices import Finished, allowed_answers
from unslant.protocols import LanguageModel

__all__ = ["ClosedVoice"]

_STOP = ("\n",)
_FIRST_WORD = re.compile(r"([^\W\d_]+)(?:[.,;:!]|$)")
_QUOTES = "\"'`“”\u2018\u2019«»"


class ClosedVoice:
    """A model that only writes, or at most scores texts: its answers are checked against the question.

    Fixed answers are compared by their probability where the model gives one. An answer that is not one of those
    allowed, or not a stretch of the document, is set aside.
    """

    room = None

    def __init__(self, model: LanguageModel, *, chat: bool = False) -> None:
        self.name = model.name
        self._model = model
        self._chat = chat
        self._scores = not chat

    def digest(self) -> str:
        """Return what tells this model from others."""
        return self._model.digest()

    def length(self, text: str) -> int:
        """Return how many words a text has: its tokens are not known."""
        return len(text.split())

    def cost(self, prompts: Sequence[str]) -> int:
        """Return how many words are sent."""
        return sum(map(self.length, prompts))

    def ask(self, questions: Sequence[Question], finished: Finished | None = None) -> list[Answer]:
        """Return one answer per question, in order."""
        found: list[Answer] = [Answer("", judged=False)] * len(questions)
        for decoding in ("choice", "span", "unconstrained", "constrained"):
            places = [at for at, one in enumerate(questions) if one.decoding == decoding]
            for start in range(0, len(places), 16):
                some = places[start : start + 16]
                answers = self._some([questions[at] for at in some], decoding)
                for at, answer in zip(some, answers, strict=True):
                    found[at] = answer
                if finished is not None:
                    finished(some, answers)
        return found

    def _some(self, questions: Sequence[Question], decoding: str) -> list[Answer]:
        if decoding == "constrained":
            raise ConfigError(f"{self.name}: cannot be kept to a document's tokens; use --decoding span")
        if decoding == "choice" and self._scores:
            try:
                return [self._scored(one) for one in questions]
            except ModelError:
                self._scores = False  # it may still answer in words
        answers = []
        for question, text in zip(questions, self._texts(questions), strict=True):
            answers.append(_checked(question, text))
        return answers

    def _texts(self, questions: Sequence[Question]) -> list[str]:
        written = []
        for one in questions:
            choice = one.decoding == "choice"
            sampling = Sampling(
                max_tokens=8 if choice else max(8, 2 * self.length(one.document)),
                temperature=0.0 if choice else one.temperature,
                top_k=0 if choice else one.top_k,
                stop=() if self._chat else _STOP,
                chat=self._chat,
            )
            written += self._model.generate([one.prompt], [crc32(one.seed.encode()) >> 1], sampling)
        return [one.text for one in written]

    def _scored(self, question: Question) -> Answer:
        spelled = allowed_answers(question)
        texts = [question.lead + said for said in spelled.values()]
        rows = self._model.logprobs([question.prompt] * len(texts), texts)
        totals = [sum(row) for row in rows]
        highest = max(totals)
        powers = [math.exp(one - highest) for one in totals]
        chances = dict(zip(spelled, (one / sum(powers) for one in powers), strict=True))
        said = max(chances, key=chances.__getitem__)
        return Answer(said, chances["yes"] if question.task == "diagnosis" else chances[said])


def _checked(question: Question, text: str) -> Answer:
    """Believe an answer only as far as it fits the question."""
    line = text.strip().partition("\n")[0].strip()
    if question.decoding == "unconstrained":
        return Answer(line, judged=bool(line))
    plain = line.strip(_QUOTES + " .").casefold()
    if question.decoding == "choice":
        spelled = {said.casefold(): name for name, said in allowed_answers(question).items()}
        if question.task == "diagnosis" and (word := _FIRST_WORD.match(line)):
            plain = word[1].casefold()
        return Answer(spelled[plain]) if plain in spelled else Answer(line, judged=False)
    quoted = line if line in question.document else line.strip(_QUOTES)
    start = question.document.find(quoted) if quoted else -1
    if start < 0:
        return Answer(line, judged=False)
    return Answer(quoted, None, (start, start + len(quoted)))
