"""The constraints in transformers' own generation."""

from __future__ import annotations

import pytest
import torch
from transformers import LogitsProcessorList

from unslant.lab.probing.constraints import AnswerTrie, DocumentSpans, DocumentTokens
from unslant.lab.probing.descriptions import dimension_answers
from unslant.lab.probing.generator import ConstraintProcessor

from .tiny_models import tiny_model, tokenizer_of
from .tiny_tokenizers import SORTS

pytestmark = pytest.mark.torch


def _generated(constraint: object, ends: list[int], **how: object) -> list[list[int]]:
    model = tiny_model("llama", 400)
    prompt = torch.tensor([[3, 4, 5, 6], [7, 8, 9, 10]])
    processors = LogitsProcessorList([ConstraintProcessor(constraint, 4, ends)])  # type: ignore[arg-type]
    torch.manual_seed(1)
    found = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        logits_processor=processors,
        max_new_tokens=12,
        eos_token_id=ends,
        pad_token_id=ends[0],
        **how,
    )
    return [[token for token in row[4:].tolist() if token not in ends] for row in found]


@pytest.mark.parametrize("how", [{"do_sample": False}, {"do_sample": True, "top_k": 0}, {"num_beams": 3}])
@pytest.mark.parametrize("sort", SORTS)
def test_generate_writes_a_dimension_and_nothing_else(sort: str, how: dict[str, object]) -> None:
    tokenizer = tokenizer_of(sort)
    spelled = {name: tokenizer(said)["input_ids"] for name, said in dimension_answers().items()}
    longest = max(map(len, spelled.values()))
    end = tokenizer.eos_token_id
    for written in _generated(AnswerTrie(spelled), [end], **how):
        assert written in list(spelled.values()) or len(written) == 12 < longest


def test_each_text_has_its_own_document() -> None:
    documents = [[20, 21, 22, 23], [30, 31, 32]]
    found = _generated(
        [DocumentSpans(document) for document in documents], [0], do_sample=True, num_return_sequences=4
    )
    for row, written in enumerate(found):
        document = documents[row // 4]
        assert written
        assert any(document[at : at + len(written)] == written for at in range(len(document)))
    for written in _generated(DocumentTokens([20, 21]), [0], do_sample=True):
        assert set(written) <= {20, 21}


def test_scores_of_what_is_allowed_stay_as_they_were() -> None:
    keep = ConstraintProcessor(DocumentTokens([2, 3]), 1, [0])
    scores = torch.randn(1, 6)
    kept = keep(torch.tensor([[5]]), scores)
    assert torch.equal(kept[0, [0, 2, 3]], scores[0, [0, 2, 3]])
    assert torch.isinf(kept[0, [1, 4, 5]]).all()
    with pytest.raises(ValueError, match="at least one end token"):
        ConstraintProcessor(DocumentTokens([2]), 1, [])
