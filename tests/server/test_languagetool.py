"""LanguageTool's protocol, as its clients speak it."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.core.types import Document, Finding, Report, SentenceVerdict, Span
from unslant.server.languagetool import _matches
from unslant.spec import Spec
from unslant.text.utf16 import Utf16Offsets

from .conftest import Server

CHECK = "/v2/check"
TEXT = "The plan is old. The legendary singer slammed it. Ask a fireman."


def ask(server: Server, text: str | None = None, **fields: str) -> httpx.Response:
    sent = {"language": "en-US"} | ({} if text is None else {"text": text}) | fields
    return server.client.post(CHECK, data=sent)


def matches(server: Server, text: str | None = None, **fields: str) -> list[dict[str, Any]]:
    answer = ask(server, text, **fields)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["matches"]
    return found


def cut(text: str, match: dict[str, Any]) -> str:
    """Return what a client underlines: Java and JavaScript count UTF-16 code units."""
    units = text.encode("utf-16-le")
    return units[2 * match["offset"] : 2 * (match["offset"] + match["length"])].decode("utf-16-le")


def put(text: str, match: dict[str, Any], value: str) -> str:
    units = text.encode("utf-16-le")
    end = 2 * (match["offset"] + match["length"])
    return (units[: 2 * match["offset"]] + value.encode("utf-16-le") + units[end:]).decode("utf-16-le")


def test_findings_are_matches_with_all_that_clients_read(server: Server) -> None:
    found = {cut(TEXT, match): match for match in matches(server, TEXT)}
    assert set(found) == {"legendary singer", "slammed", "fireman"}
    assert found["legendary singer"]["replacements"] == [{"value": "singer"}]
    slammed = found["slammed"]
    assert slammed["replacements"][0] == {"value": "criticized"}
    assert slammed["sentence"] == "The legendary singer slammed it."
    assert slammed["rule"]["category"] == {"id": "FRAMING", "name": slammed["rule"]["category"]["name"]}
    assert slammed["rule"]["issueType"] == "style"
    context = slammed["context"]
    assert context["text"][context["offset"] :][: context["length"]] == "slammed"
    for match in found.values():
        assert match["message"]
        assert match["shortMessage"] == match["rule"]["description"]
        (link,) = match["rule"]["urls"]
        assert httpx.get(link["value"]).json()["id"] == match["rule"]["id"]


def test_the_findings_are_those_of_check(server: Server) -> None:
    ours = server.post("/v1/check", {"text": TEXT}).json()["findings"]
    assert [match["message"] for match in matches(server, TEXT)] == [finding["why"] for finding in ours]


def test_positions_count_utf16_units(server: Server) -> None:
    text = f"\U0001f600\U0001f600 “Nächste” {TEXT}"
    found = matches(server, text)
    assert {cut(text, match) for match in found} == {"legendary singer", "slammed", "fireman"}
    for match in found:
        assert cut(match["context"]["text"], match["context"]) == cut(text, match)
        assert cut(text, match) in match["sentence"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_utf16_offsets_agree_with_the_encoding(text: str) -> None:
    offsets = Utf16Offsets(text)
    for at in range(len(text) + 1):
        assert offsets.units(at) == len(text[:at].encode("utf-16-le")) // 2


def test_a_replacement_leaves_a_sentence_that_reads_well(server: Server) -> None:
    text = "He is an iconic singer. Ask a chairman."
    for match in matches(server, text):
        for wording in match["replacements"]:
            new = put(text, match, wording["value"])
            assert "  " not in new
            assert " an singer" not in new


@pytest.mark.parametrize(
    ("text", "shown", "put_there"),
    [
        ("The plan of the legendary singer failed.", "legendary singer", "singer"),
        ("A legendary \U0001f600 singer.", "A legendary", "A"),
        ("Ask the legendary fireman about it.", "the legendary", "the"),
        ("The legendary “Long Hall” was old.", "The legendary", "The"),
    ],
)
def test_what_deletes_can_be_read_in_a_menu(server: Server, text: str, shown: str, put_there: str) -> None:
    match = matches(server, text)[0]
    assert (cut(text, match), match["replacements"][0]["value"]) == (shown, put_there)


@pytest.mark.parametrize(
    "text",
    [
        "An iconic, legendary, truly iconic chairman slammed a legendary fireman.",
        # to leave out the first word, the second, which is reported too, gets its capital
        "Legendary slammed iconic the sadly clearly clearly.",
        # to leave out the second, the first would have to go
        "An very legendary that iconic clearly disgraceful clearly.",
    ],
)
def test_matches_do_not_overlap(server: Server, text: str) -> None:
    found = matches(server, " ".join([text] * 5))
    assert len(found) > 10
    for left, right in pairwise(found):
        assert left["offset"] + left["length"] <= right["offset"]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["The legendary singer ", "slammed it. ", "Ask a fireman.\n\n"]).map(
                lambda text: {"text": text}
            ),
            st.sampled_from(["<b>", "\U0001f600", "</p>\n<p>", "legendary"]).map(
                lambda text: {"markup": text, "interpretAs": "\n\n"}
            ),
            st.just({"markup": "<legendary a='slammed'>"}),
        ),
        max_size=8,
    )
)
def test_markup_is_counted_and_never_reported(server: Server, parts: list[dict[str, str]]) -> None:
    text = "".join(part.get("text", part.get("markup", "")) for part in parts)
    found = matches(server, data=json.dumps({"annotation": parts}))
    inside = set()
    at = 0
    for part in parts:
        size = len((part.get("text") or part.get("markup") or "").encode("utf-16-le")) // 2
        if "text" in part:
            inside.update(range(at, at + size))
        at += size
    for match in found:
        words = {"legendary singer", "The legendary", "legendary", " legendary", "slammed", "fireman"}
        assert cut(text, match) in words
        assert set(range(match["offset"], match["offset"] + match["length"])) <= inside


def test_markup_that_stands_for_a_line_end_ends_the_sentence(server: Server) -> None:
    parts = [
        {"text": "Singers"},
        {"markup": "</h1><p>", "interpretAs": "\n\n"},
        {"text": "The legendary singer."},
    ]
    (match,) = matches(server, data=json.dumps({"annotation": parts}))
    assert match["sentence"] == "The legendary singer."


def test_rules_and_categories_are_turned_on_and_off(server: Server) -> None:
    first, *_ = [match["rule"]["id"] for match in matches(server, TEXT)]
    assert first not in {
        match["rule"]["id"] for match in matches(server, TEXT, disabledRules=f"{first},EN_QUOTES")
    }
    only = matches(server, TEXT, enabledRules=f"{first},EN_QUOTES", enabledOnly="true")
    assert {match["rule"]["id"] for match in only} == {first}
    named = matches(server, TEXT, enabledCategories="DEMOGRAPHIC", enabledOnly="true")
    assert [cut(TEXT, match) for match in named] == ["fireman"]
    assert [cut(TEXT, match) for match in matches(server, TEXT, disabledCategories="FRAMING")] == ["fireman"]
    assert matches(server, TEXT, enabledRules="EN_QUOTES", enabledOnly="true") == []
    # without enabledOnly, to enable a rule takes nothing away
    assert len(matches(server, TEXT, enabledRules=first)) == 3


def test_the_level_picky_reports_weak_terms(server: Server) -> None:
    text = "It was actually a very nice day, and the chairman spoke."
    usual = {cut(text, match) for match in matches(server, text)}
    assert usual < {cut(text, match) for match in matches(server, text, level="picky")}


@pytest.mark.parametrize(
    ("language", "code"), [("auto", "en-US"), ("en", "en"), ("en-GB", "en-GB"), ("en-IE", "en")]
)
def test_english_by_any_name_is_english(server: Server, language: str, code: str) -> None:
    answer = ask(server, TEXT, language=language).json()
    assert answer["language"]["code"] == code
    assert len(answer["matches"]) == 3


def test_a_preferred_variant_is_named(server: Server) -> None:
    answer = ask(server, TEXT, language="auto", preferredVariants="de-DE,en-GB").json()
    assert answer["language"]["code"] == "en-GB"


def test_other_languages_are_refused_or_detected(server: Server) -> None:
    answer = ask(server, "Das ist alt.", language="de-DE")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_language")
    german = "Die Sängerin hat den Plan nicht gelesen, aber sie war mit dem Ergebnis und der Arbeit sehr zufrieden."
    answer = ask(server, german, language="auto")
    assert answer.json()["matches"] == []
    assert answer.json()["language"]["detectedLanguage"]["name"] == "German"


def test_what_clients_ask_for_at_the_start(server: Server) -> None:
    languages = server.client.get("/v2/languages").json()
    assert {"name": "English (US)", "code": "en", "longCode": "en-US"} in languages
    assert server.client.get("/v2/info").json()["software"]["apiVersion"] == 1
    assert server.client.get("/v2/maxtextlength").text == "1000000"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"language": "en"}, 422),
        ({"text": "a"}, 422),
        ({"language": "en", "data": "{"}, 400),
        ({"language": "en", "data": "[]"}, 422),
        ({"language": "en", "data": '{"annotation": [{"text": 1}]}'}, 422),
        ({"language": "en", "data": "[" * 17}, 400),
        ({"language": "en", "text": "a" * 1_000_001}, 413),
        ({"language": "en", "text": "a"} | {f"x{number}": "" for number in range(60)}, 400),
    ],
)
def test_bad_forms_get_one_sentence(server: Server, fields: dict[str, str], status: int) -> None:
    answer = server.client.post(CHECK, data=fields)
    assert answer.status_code == status
    assert len(answer.json()["error"]["message"]) < 300


def test_only_forms_in_utf8_are_taken(server: Server) -> None:
    assert server.post(CHECK, {"text": "a", "language": "en"}).status_code == 415
    headers = {"content-type": "application/x-www-form-urlencoded; charset=UTF-8"}
    for body in (b"language=en&text=%ff", b"language=en&text=\xff", b"language=en&text=%ED%A0%80"):
        assert server.client.post(CHECK, content=body, headers=headers).status_code == 400


def test_a_form_that_is_not_encoded_is_read_as_it_is(server: Server) -> None:
    """LibreOffice 7.4 sends such forms."""
    text = "\U0001f600 Q&A: the legendary singer & his 100%41 plan=1+1&language=x slammed it."
    headers = {"content-type": "application/x-www-form-urlencoded"}
    usual = [(cut(text, match), match["message"]) for match in matches(server, text)]
    assert len(usual) == 2
    for rest in ("", "&username=a@b.c&apiKey=d"):
        body = f"text={text}&language=en-US{rest}".encode()
        answer = server.client.post(CHECK, content=body, headers=headers)
        assert [(cut(text, match), match["message"]) for match in answer.json()["matches"]] == usual


def test_a_web_page_cannot_send_a_form(server: Server, locked_server: Server) -> None:
    fields = {"language": "en", "text": TEXT}
    for headers, status in (
        ({"origin": "https://attacker.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "attacker.example"}, 421),
        ({"origin": server.url.rstrip("/"), "sec-fetch-site": "same-origin"}, 200),
    ):
        assert server.client.post(CHECK, data=fields, headers=headers).status_code == status
    assert locked_server.client.post(CHECK, data=fields).status_code == 401
    allowed = {
        "origin": "https://example.org",
        "sec-fetch-site": "cross-site",
        "authorization": "Bearer open sesame",
    }
    assert locked_server.client.post(CHECK, data=fields, headers=allowed).status_code == 200


@pytest.mark.hosts
@pytest.mark.filterwarnings("default")
def test_language_tool_python_shows_and_applies_findings(server: Server) -> None:
    """``pip install language-tool-python``, then ``pytest -m hosts tests/server``."""
    import language_tool_python

    text = f"\U0001f600 {TEXT}"
    with language_tool_python.LanguageTool("en-US", remote_server=server.url.rstrip("/")) as tool:
        found = tool.check(text)
        words = [text[match.offset : match.offset + match.error_length] for match in found]
        assert words == ["legendary singer", "slammed", "fireman"]
        assert found[1].replacements[0] == "criticized"
        assert "criticized it. Ask a firefighter." in tool.correct(text)
        tool.disabled_rules = {found[0].rule_id}
        assert [match.matched_text for match in tool.check(TEXT)] == ["slammed", "fireman"]


@pytest.mark.hosts
@pytest.mark.filterwarnings("default")
def test_pylanguagetool_shows_findings(server: Server) -> None:
    """``pip install pyLanguagetool 'setuptools<81'``, then ``pytest -m hosts tests/server``."""
    from pylanguagetool import api

    address = f"{server.url.rstrip('/')}/v2/"
    assert {language["longCode"] for language in api.get_languages(address)} >= {"en", "en-US", "en-GB"}
    answer = api.check(TEXT, address, "auto", picky=True, disabled_categories="FRAMING", pwl=["nobody"])
    assert [cut(TEXT, match) for match in answer["matches"]] == ["fireman"]
    with pytest.raises(ValueError, match="English only"):
        api.check("Das ist alt.", address, "de-DE")


def test_the_length_of_a_match_counts_utf16_units() -> None:
    text = "A \U0001f600 day."
    finding = Finding(Span(2, 7), text[2:7], "framing", "why", "rules")
    report = Report(Document(text, text), (SentenceVerdict(Span(0, len(text))),), (finding,))
    (match,) = _matches(report, Spec(analyzers=("rules",)), "")
    assert (match["offset"], match["length"], cut(text, match)) == (2, 6, "\U0001f600 day")


SETTINGS = """<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Linguistic/GrammarChecking/LanguageTool">
<prop oor:name="IsEnabled" oor:op="fuse"><value>true</value></prop>
<prop oor:name="BaseURL" oor:op="fuse"><value>{address}v2</value></prop>
</item>
</oor:items>
"""


@pytest.mark.libreoffice
def test_libreoffice_underlines_findings(server: Server, tmp_path: Path) -> None:
    """LibreOffice's own client of LanguageTool, in a LibreOffice without a window and with settings of its own."""
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "registrymodifications.xcu").write_text(SETTINGS.format(address=server.url))
    texts = [
        TEXT,
        "\U0001f600 The iconic hall & a “new” 100% plan; 1 + 1 = 2. He slammed it.",
        "It rained.",
    ]
    pipe = f"unslant-{tmp_path.name}"
    start = ["soffice", "--headless", "--norestore", f"-env:UserInstallation={tmp_path.as_uri()}"]
    with subprocess.Popen([*start, f"--accept=pipe,name={pipe};urp;"], stderr=subprocess.DEVNULL) as office:
        try:
            asked = subprocess.run(
                ["/usr/bin/python3", str(Path(__file__).with_name("libreoffice_client.py"))],
                input=json.dumps({"pipe": pipe, "texts": texts}),
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
        finally:
            office.terminate()
    assert asked.returncode == 0, asked.stderr
    shown = [
        [(cut(text, error), error["suggestions"]) for error in errors]
        for text, errors in zip(texts, json.loads(asked.stdout), strict=True)
    ]
    assert shown == [
        [("legendary singer", ["singer"]), ("slammed", ["criticized"]), ("fireman", ["firefighter"])],
        [("iconic hall", ["hall"]), ("slammed", ["criticized"])],
        [],
    ]
    reasons = {error["comment"] for errors in json.loads(asked.stdout) for error in errors}
    assert reasons == {match["message"] for text in texts for match in matches(server, text)}
