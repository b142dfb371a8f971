"""Local models: generation, scoring, hidden states, and what can go wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from unslant.core.errors import InputError, ModelError
from unslant.core.generation import Sampling
from unslant.lab.lm import open_model
from unslant.lab.lm.causal import CausalModel, begin_texts, begins_texts
from unslant.lab.lm.decoding import Decoding
from unslant.protocols import LanguageModel, OpenLanguageModel

from .tiny import ARCHITECTURES, model, network, tokenizer

pytestmark = pytest.mark.torch

PROMPTS = ["the council said", "a road and a river in the town will", "vote", "the council said"]


@pytest.fixture(params=ARCHITECTURES)
def tiny(request: pytest.FixtureRequest) -> CausalModel:
    return model(request.param)  # type: ignore[no-any-return]


def test_it_keeps_to_both_protocols(tiny: CausalModel) -> None:
    assert isinstance(tiny, LanguageModel)
    assert isinstance(tiny, OpenLanguageModel)


def test_a_text_does_not_depend_on_its_neighbours(tiny: CausalModel) -> None:
    sampling = Sampling(max_tokens=12)
    together = tiny.generate(PROMPTS, [5, 6, 7, 8], sampling)
    alone = [
        tiny.generate([prompt], [seed], sampling)[0]
        for prompt, seed in zip(PROMPTS, [5, 6, 7, 8], strict=True)
    ]
    assert together == alone
    assert together[0].text != together[3].text, "the same prompt with another seed"


def test_batches_keep_order_and_length(tiny: CausalModel) -> None:
    prompts = PROMPTS * 3
    found = tiny.generate(prompts, range(12), Sampling(max_tokens=3))
    assert [generation.prompt for generation in found] == prompts
    assert [generation.seed for generation in found] == list(range(12))
    assert tiny.generate([], [], Sampling()) == []


def test_the_likeliest_tokens_are_those_of_the_whole_text_read_at_once(tiny: CausalModel) -> None:
    (generation,) = tiny.generate([PROMPTS[1]], [0], Sampling(max_tokens=8, temperature=0, to_length=True))
    ids = tiny.tokenizer(PROMPTS[1] + generation.text)["input_ids"]
    with torch.no_grad():
        logits = tiny.model(torch.tensor([ids])).logits[0]
    logits[:, 0] = -torch.inf  # the end, which to_length rules out
    start = len(ids) - 8
    assert logits[start - 1 : -1].argmax(1).tolist() == ids[start:]


def test_texts_end_by_length_by_the_model_or_by_a_stop(tiny: CausalModel) -> None:
    (cut,) = tiny.generate(["the town"], [1], Sampling(max_tokens=6, to_length=True))
    assert (cut.tokens, cut.reason) == (6, "length")
    assert len(cut.text.split()) == 6
    word = cut.text.split()[3]
    (stopped,) = tiny.generate(["the town"], [1], Sampling(max_tokens=6, to_length=True, stop=(f" {word}",)))
    assert stopped.reason == "stop"
    assert stopped.text == cut.text[: cut.text.find(f" {word}")]
    many = tiny.generate(["the town"] * 40, range(40), Sampling(max_tokens=40, top_k=0, temperature=1.5))
    ended = [item for item in many if item.reason == "end"]
    assert ended
    assert all(item.tokens < 40 and "<end>" not in item.text for item in ended)


def test_scores_are_those_of_the_whole_text(tiny: CausalModel) -> None:
    prompts = ["the council said", "the council said", "vote", "the council said"]
    rest = [" yes", " no tax in the town", " for the new law", " no"]
    found = tiny.logprobs(prompts, rest)
    for prompt, continuation, scores in zip(prompts, rest, found, strict=True):
        ids = tiny.tokenizer(prompt + continuation)["input_ids"]
        with torch.no_grad():
            logprobs = tiny.model(torch.tensor([ids])).logits[0].log_softmax(1)
        count = len(continuation.split())
        wanted = [float(logprobs[at - 1, ids[at]]) for at in range(len(ids) - count, len(ids))]
        assert scores == pytest.approx(wanted, abs=1e-4)
    assert tiny.logprobs(["vote"], [""]) == [[]]
    assert [len(row) for row in tiny.logprobs(["vote"] * 2, ["", " the road and"])] == [0, 3], "beside others"


def test_the_hidden_state_is_what_the_head_turns_into_logits(tiny: CausalModel) -> None:
    state = tiny.prefill(PROMPTS)
    for _ in range(2):
        with torch.no_grad():
            assert torch.allclose(tiny.head(state.hidden), state.logits, atol=1e-5)
        state = tiny.step(state, state.logits.argmax(1))


def test_a_fork_goes_on_without_touching_the_original(tiny: CausalModel) -> None:
    state = tiny.prefill(["the road"])
    ways = torch.tensor([5, 9, 12])
    forked: Decoding = tiny.step(state.fork(3), ways)
    for row, token in enumerate(ways):
        alone = tiny.step(state.fork(1), token[None])
        assert torch.allclose(forked.logits[row], alone.logits[0], atol=1e-5)


def test_states_are_those_of_each_text_alone(tiny: CausalModel) -> None:
    texts = ["the town", "a farmer and a nurse said no", "yes"]
    found = tiny.states(texts, 5)
    assert [len(item) for item in found] == [2, 5, 1]
    for text, states in zip(texts, found, strict=True):
        last = tiny.prefill([" ".join(text.split()[:5])]).hidden[0]
        assert torch.allclose(states[-1], last, atol=1e-5)


def test_equal_weights_have_equal_digests() -> None:
    first, same = (
        CausalModel(network("llama"), tokenizer(), "a"),
        CausalModel(network("llama"), tokenizer(), "b"),
    )
    other = CausalModel(network("llama", seed=1), tokenizer(), "a")
    assert first.digest() == same.digest() != other.digest()


def test_a_pad_token_is_not_needed_and_changes_nothing() -> None:
    padded = model("neox", pad=True)
    assert model("neox").tokenizer.pad_token is None
    sampling = Sampling(max_tokens=5)
    assert padded.generate(PROMPTS, range(4), sampling) == model("neox").generate(PROMPTS, range(4), sampling)


def test_a_folder_is_opened_by_its_name(tmp_path: Path) -> None:
    network("llama").save_pretrained(tmp_path / "tiny")
    tokenizer().save_pretrained(tmp_path / "tiny")
    opened: Any = open_model(str(tmp_path / "tiny"), batch=2)
    assert opened.digest() == model("llama").digest()
    sampling = Sampling(max_tokens=6)
    assert opened.generate(PROMPTS, range(4), sampling) == model("llama").generate(
        PROMPTS, range(4), sampling
    )


def test_a_chat_needs_a_template_and_uses_it() -> None:
    plain = model("gpt2")
    with pytest.raises(ModelError, match="no chat template"):
        plain.generate(["yes"], [0], Sampling(chat=True))
    plain.tokenizer.chat_template = "{{ messages[0]['content'] }} . he said"
    sampling = Sampling(max_tokens=4)
    (asked,) = plain.generate(["yes"], [3], Sampling(max_tokens=4, chat=True))
    (plainly,) = plain.generate(["yes . he said"], [3], sampling)
    assert (asked.text, asked.prompt) == (plainly.text, "yes")


def test_what_does_not_fit_is_refused_before_anything_is_written(tiny: CausalModel) -> None:
    with pytest.raises(ModelError, match="60 more do not fit into the 64"):
        tiny.generate(["yes", "the " * 10], [0, 1], Sampling(max_tokens=60))


@pytest.mark.parametrize("name", ["nothing.gguf", "folder", "file.txt"])
def test_what_is_no_model_is_named_in_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_text("hello")
    with pytest.raises(InputError, match=name) as caught:
        open_model(str(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="not a language model that can be loaded"):
        open_model(str(tmp_path))


def test_a_gguf_file_says_whether_texts_begin_with_a_token(tmp_path: Path) -> None:
    from gguf import GGUFWriter

    for name, asked in {"with": True, "without": False}.items():
        writer = GGUFWriter(str(tmp_path / name), "llama")
        writer.add_add_bos_token(asked)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        assert begins_texts(tmp_path / name) is asked


def test_a_tokenizer_begins_texts_once() -> None:
    words = tokenizer()
    plain = words("the road")["input_ids"]
    words.bos_token = words.eos_token
    for _ in range(2):
        begin_texts(words)
        assert words("the road")["input_ids"] == [words.bos_token_id, *plain]
        assert words("the road", add_special_tokens=False)["input_ids"] == plain


def test_an_empty_prompt_is_a_prompt(tiny: CausalModel) -> None:
    (generation,) = tiny.generate([""], [0], Sampling(max_tokens=3, to_length=True))
    assert generation.tokens == 3


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be opened in half precision, by plain kernels: some machines announce faster ones in vain."""
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    network("llama").save_pretrained(tmp_path / "tiny")
    tokenizer().save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_a_model_in_half_precision_is_another_one(half: Path, precision: str) -> None:
    whole: Any = open_model(str(half))
    opened: Any = open_model(str(half), precision=precision)
    assert (whole.precision, opened.precision) == ("float32", precision)
    assert opened.digest() != whole.digest()
    state = opened.prefill(PROMPTS)
    assert (state.logits.dtype, state.hidden.dtype) == (torch.float32, torch.float32)
    assert torch.allclose(state.logits, whole.prefill(PROMPTS).logits, atol=0.3), "the same but for rounding"
    made = opened.generate(PROMPTS, range(4), Sampling(max_tokens=5, to_length=True))
    assert [len(item.text.split()) for item in made] == [5] * 4
    assert opened.states(["the council said"], 2)[0].dtype == torch.float32


def test_a_precision_is_refused_where_there_is_none(half: Path) -> None:
    with pytest.raises(ModelError, match="precision 'int3' is unknown"):
        open_model(str(half), precision="int3")
    for name in ("mock:a", "http://localhost:1/v1"):
        with pytest.raises(ModelError, match="only a local model"):
            open_model(name, precision="bfloat16")


def test_prompts_of_one_length_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = model("gpt2", batch=2)
    read: list[list[int]] = []
    plain = tiny._read

    def note(ids: list[list[int]]) -> Decoding:
        read.append([len(item) for item in ids])
        return plain(ids)

    monkeypatch.setattr(tiny, "_read", note)
    prompts = ["vote", "a road and a river", "yes", "the town and a river"]
    found = tiny.generate(prompts, range(4), Sampling(max_tokens=3))
    assert read == [[1, 1], [5, 5]], "without padding"
    assert [(generation.prompt, generation.seed) for generation in found] == list(
        zip(prompts, range(4), strict=True)
    )
