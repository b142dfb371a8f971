"""A language model as a rewriter: ``llm:MODEL``, such as ``llm:ollama/llama3.2`` or ``llm:http://HOST/v1?model=NAME``.

There is one request for each sentence, with all its findings, what is wrong with each, and the standard of the profile.
The answer is JSON: a list of wordings for each finding. It is read leniently and checked strictly, because a server may
send anything: what is not a short, plain wording of words that were asked about is dropped. What is left is decided
like any other wording (:mod:`unslant.edits`), and never made without review.

The model cannot tell political sides apart (:mod:`unslant.rewriter.sides`), so mirrored sentences are one request.
"""

from __future__ import annotations

import json
import math
import re
import threading
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from unslant.core.errors import ModelError
from unslant.core.generation import Sampling
from unslant.core.types import Span
from unslant.lab.lm import open_model
from unslant.lab.lm.endpoint import EndpointModel, JsonAnswer, JsonRequest
from unslant.lab.lm.names import parse_name
from unslant.neural.hub import accepts_connections
from unslant.profiles import profile, profiles
from unslant.protocols import LanguageModel, Unanswered, Wording, WordsInSentence
from unslant.rewriter.sides import Sides
from unslant.spec import Spec, destination

_WORDINGS = 3
"""How many wordings of a finding are taken."""
_UNKNOWN = math.log(0.5)
"""The log probability of a wording whose server gives none."""
_PARALLEL = 4
_RETRIES = 2
_SECONDS = 120.0
"""How long a whole answer may take."""
_TOKENS, _TOKENS_EACH = 1024, 64
"""How long an answer may be: a model may think first."""
_READ = 100_000
"""How much of an answer is looked at."""
_OPENINGS = 64
"""How many curly brackets of an answer are tried."""
_REMEMBERED = 2_000
"""Answers that are kept: a text is read again after its edits."""
_MORE_WORDS, _LONGEST = 4, 300
"""A wording has at most twice the words that it replaces and this many more, and at most this many characters."""
_MARKUP = re.compile(r"[<>&\[\]{}|*_`~\\=#^]|https?:|www\.")
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+\S")
_THOUGHTS = re.compile(r"\A.*</think>", re.DOTALL)
_QUOTES = re.compile(r"\A([\"'`\u2018\u201c])(.*)([\"'`\u2019\u201d])\Z", re.DOTALL)

_Written = tuple[str, float]
"""A wording as the model wrote it, and its log probability."""


@dataclass(slots=True)
class _Passage:
    """A sentence with all the words in question, as the model reads it."""

    sides: Sides
    profile: str
    before: str
    text: str
    spans: list[Span]
    """The words, by their position in the text."""
    why: list[str]
    numbers: dict[Span, int] = field(default_factory=dict)
    """The number of each finding, by its position in the sentence as it was given."""

    @classmethod
    def of(cls, findings: Sequence[WordsInSentence]) -> _Passage:
        first = findings[0]
        by_span = {each.span: each for each in findings}
        sides = Sides.of(first.before, first.sentence)
        text, spans = sides.hide_with_spans(first.sentence, list(by_span))
        numbers = {span: number for number, span in enumerate(by_span, 1)}
        why = [each.why for each in by_span.values()]
        return cls(sides, first.profile, sides.hide(first.before), text, spans, why, numbers)

    def words(self, number: int) -> str:
        """Return the words of a finding."""
        span = self.spans[number - 1]
        return _on_one_line(self.text[span.start : span.end])

    def around(self, number: int) -> tuple[str, str]:
        """Return what stands before and after the words of a finding."""
        span = self.spans[number - 1]
        return _on_one_line(self.text[: span.start]), _on_one_line(self.text[span.end :])

    def request(self) -> JsonRequest:
        """Return what the model is asked."""
        data, lines = _data(), []
        if self.profile in profiles():
            standard = profile(self.profile)
            lines.append(
                data["standard"].format(title=standard.title, about=standard.about, reports=standard.reports)
            )
        if self.before.strip():
            lines.append(data["before"].format(text=_on_one_line(self.before)))
        lines.append(data["passage"].format(text=_on_one_line(self._marked())))
        for number, why in enumerate(self.why, 1):
            lines.append(
                data["mark"].format(number=number, words=self.words(number), why=why or data["unknown"])
            )
        numbers = [str(number) for number in range(1, len(self.spans) + 1)]
        wordings = {"type": "array", "items": {"type": "string"}, "maxItems": _WORDINGS}
        schema = {
            "type": "object",
            "properties": dict.fromkeys(numbers, wordings),
            "required": numbers,
            "additionalProperties": False,
        }
        room = _TOKENS + _TOKENS_EACH * len(numbers)
        return JsonRequest(data["instructions"], "\n".join(lines), schema, room)

    def _marked(self) -> str:
        """Return the text with a mark around the words of each finding; marks may be nested."""
        numbered = list(enumerate(self.spans, 1))
        ends = [(span.end, 0, -span.start, f"</{number}>") for number, span in numbered]
        starts = [(span.start, 1, -span.end, f"<{number}>") for number, span in numbered]
        parts, last = [], 0
        for at, *_, mark in sorted(ends + starts):
            parts += [self.text[last:at], mark]
            last = at
        return "".join((*parts, self.text[last:]))


class LanguageModelRewriter:
    """Asks a language model for wordings; what it writes is offered for review."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._model = _open(name)
        self._name = self._model.name
        self._lock = threading.Lock()
        self._known: dict[str, Mapping[int, Sequence[_Written]]] = {}
        self._has_answered = False

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return up to three wordings for each passage; a model that has never answered is an error."""
        groups: dict[tuple[str, str, str], list[WordsInSentence]] = {}
        for each in passages:
            groups.setdefault((each.profile, each.before, each.sentence), []).append(each)
        asked = {key: _Passage.of(findings) for key, findings in groups.items()}
        requests = {key: passage.request() for key, passage in asked.items()}
        answers = self._answers({request.text: request for request in requests.values()})
        found: list[list[Wording]] = []
        for each in passages:
            key = (each.profile, each.before, each.sentence)
            answer, passage = answers[requests[key].text], asked[key]
            if isinstance(answer, str):
                found.append(Unanswered(answer))
            else:
                number = passage.numbers[each.span]
                found.append(list(self._wordings(passage, number, answer.get(number, ()))))
        return found

    def _answers(
        self, requests: Mapping[str, JsonRequest]
    ) -> dict[str, Mapping[int, Sequence[_Written]] | str]:
        """Return what the model wrote for each text, or why there is nothing."""
        with self._lock:
            found: dict[str, Mapping[int, Sequence[_Written]] | str] = {
                text: self._known[text] for text in requests if text in self._known
            }
        new = [request for text, request in requests.items() if text not in found]
        answers = self._ask(new) if new else []
        errors = [answer for answer in answers if isinstance(answer, ModelError)]
        self._has_answered |= len(errors) < len(answers)
        if errors and not self._has_answered:
            raise errors[0]
        for request, answer in zip(new, answers, strict=True):
            if isinstance(answer, ModelError):
                found[request.text] = str(answer).rstrip(".")
            elif (written := read_answer(answer)) is None:
                what = "not the JSON that was asked for" if answer.complete else "cut off"
                found[request.text] = f"{self._name}: the answer of the model is {what}"
            else:
                found[request.text] = written
                self._remember(request.text, written)
        return found

    def _remember(self, text: str, written: Mapping[int, Sequence[_Written]]) -> None:
        with self._lock:
            self._known[text] = written
            while len(self._known) > _REMEMBERED:
                del self._known[next(iter(self._known))]

    def _ask(self, requests: Sequence[JsonRequest]) -> list[JsonAnswer | ModelError]:
        if isinstance(self._model, EndpointModel):
            return self._model.answer_json(requests)
        tokenizer = getattr(self._model, "tokenizer", None)
        chat = tokenizer is None or bool(getattr(tokenizer, "chat_template", None))
        prompts = [f"{request.instructions}\n\n{request.text}\n" for request in requests]
        longest = max(request.max_tokens for request in requests)
        sampling = Sampling(max_tokens=longest, temperature=0.0, top_k=0, chat=chat)
        texts = self._model.generate(prompts, [0] * len(prompts), sampling)
        return [JsonAnswer(text.text, text.reason != "length") for text in texts]

    def _wordings(self, passage: _Passage, number: int, written: Sequence[_Written]) -> Iterator[Wording]:
        """Yield the wordings that can be used, with the names of the passage put back."""
        old, (left, right) = passage.words(number), passage.around(number)
        seen = {old}
        for raw, score in written:
            text = _without_context(_plain(raw, old), left, right)
            if text in seen or not is_usable(text, old):
                continue
            seen.add(text)
            restored = passage.sides.restore(text)
            if restored is not None:
                yield Wording(restored, score, self._name)


def _open(name: str) -> LanguageModel:
    named = parse_name(name)
    if named.kind != "endpoint":
        return open_model(name)
    named.check_reachable()
    # an address may hold a password, and the name is in every message
    shown = name if named.provider else destination(named.target) or name
    model = EndpointModel(
        named.target, name=shown, key=named.key, parallel=_PARALLEL, timeout=_SECONDS, retries=_RETRIES
    )
    if not accepts_connections(named.target):
        raise ModelError(f"{shown}: nobody answers; start the server, or correct the address.")
    model.digest()  # a server with several models says which
    return model


def read_answer(answer: JsonAnswer) -> dict[int, list[_Written]] | None:
    """Return the wordings for each number; None if there is no JSON object in the answer.

    Text around it is ignored. Keys that are not numbers, and values that are not strings in a list, are dropped.
    """
    text = answer.text[:_READ]
    data = _first_object(_THOUGHTS.sub("", text)) or _first_object(text)
    if data is None:
        return None
    scores = _Scores(answer)
    found: dict[int, list[_Written]] = {}
    for key, values in data.items():
        if re.fullmatch(r"[0-9]{1,3}", key) and isinstance(values, list):
            strings = [value for value in values[:_WORDINGS] if isinstance(value, str)]
            found[int(key)] = [(value, scores.of(value)) for value in strings]
    return found


def _first_object(text: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_OPENINGS):
        if at < 0:
            return None
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        at = text.find("{", at + 1)
    return None


class _Scores:
    """The log probabilities of strings in an answer, asked for in their order."""

    def __init__(self, answer: JsonAnswer) -> None:
        self._answer = answer
        self._from = 0

    def of(self, value: str) -> float:
        """Return the log probability of a string: the sum over its tokens; a constant where it is not known."""
        text = self._answer.text
        forms = (json.dumps(value, ensure_ascii=False), json.dumps(value))
        at, form = next(((at, form) for form in forms if (at := text.find(form, self._from)) >= 0), (-1, ""))
        if at < 0 or not self._answer.tokens:
            return _UNKNOWN
        end = self._from = at + len(form)
        total, start = 0.0, 0
        for token, score in self._answer.tokens:
            if start < end and at < start + len(token):
                total += score
            start += len(token)
        return total


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str, old: str) -> str:
    """Return a wording without what models put around it: spaces, quotation marks, a full stop."""
    text = text.strip(" ")
    if (quoted := _QUOTES.match(text)) and not _QUOTES.match(old):
        text = quoted[2]
    return text if old.endswith(".") else text.removesuffix(".")


def _without_context(text: str, left: str, right: str) -> str:
    """Return only the words in question if a model has written the whole sentence."""
    right = right.removesuffix(".")
    whole = len(text) >= len(left) + len(right) and text.startswith(left) and text.endswith(right)
    return text[len(left) : len(text) - len(right)].strip(" ") if whole and (left or right) else text


def is_usable(text: str, old: str) -> bool:
    """Return whether a text can stand for some words: plain, on one line, of one sentence, and hardly longer."""
    if any(
        unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp") for char in text
    ):
        return False
    if len(text) > _LONGEST or len(text.split()) > 2 * len(old.split()) + _MORE_WORDS:
        return False
    if text and not any(char.isalnum() for char in text):
        return False
    return not (set(_MARKUP.findall(text)) - set(_MARKUP.findall(old)) or _SENTENCE_END.search(text))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("language_model.toml").read_text("utf-8"))
