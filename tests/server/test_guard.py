"""Access, headers for browsers, and what is never revealed."""

from __future__ import annotations

import socket

import pytest

from unslant.server.guard import is_loopback_name

from .conftest import ROOT, Server, Start

JSON = {"content-type": "application/json"}


def test_a_token_opens_what_reads_texts_and_nothing_else_needs_it(locked_server: Server) -> None:
    server = locked_server
    for headers in ({}, {"authorization": "Bearer open"}, {"authorization": "Basic open sesame"}):
        answer = server.post("/v1/check", {"text": "a"}, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.json()["error"]["code"] == "unauthorized"
        for path in ("/metrics", "/openapi.json", "/v1/rules", "/unknown"):
            assert server.client.get(path, headers=headers).status_code == 401
    shown = {"authorization": "Bearer open sesame"}
    assert server.post("/v1/check", {"text": "a"}, headers=shown).status_code == 200
    assert server.client.get("/metrics", headers=shown).status_code == 200
    for path in ("/healthz", "/readyz", "/", "/page/api.js"):
        assert server.client.get(path).status_code == 200


def test_pages_of_other_origins_may_call_only_on_request(server: Server, locked_server: Server) -> None:
    ask = {"origin": "https://example.org", "access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in server.client.options("/v1/check", headers=ask).headers
    assert "access-control-allow-origin" not in server.post("/v1/check", {"text": "a"}, headers=ask).headers
    other = locked_server
    preflight = other.client.options("/v1/check", headers=ask)
    assert preflight.headers["access-control-allow-origin"] == "https://example.org"
    rejected = other.post("/v1/check", {"text": "a"}, headers=ask)
    assert rejected.status_code == 401
    assert rejected.headers["access-control-allow-origin"] == "https://example.org"
    stranger = ask | {"origin": "https://example.com"}
    assert (
        "access-control-allow-origin" not in other.post("/v1/check", {"text": "a"}, headers=stranger).headers
    )


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost", True),
        ("localhost:8765", True),
        ("127.0.0.1:80", True),
        ("127.0.0.2", True),
        ("[::1]:8765", True),
        ("[::1]", True),
        ("LOCALHOST", True),
        ("attacker.example", False),
        ("attacker.example:8765", False),
        ("localhost.attacker.example", False),
        ("127.0.0.1.attacker.example", False),
        ("192.0.2.1", False),
        ("[2001:db8::1]:80", False),
    ],
)
def test_under_another_name_the_server_on_this_machine_does_not_answer(
    server: Server, host: str, served: bool
) -> None:
    assert is_loopback_name(host.lower()) is served
    for path in ("/", "/v1/rules", "/openapi.json", "/metrics"):
        answer = server.client.get(path, headers={"host": host})
        assert answer.status_code == (200 if served else 421)
    answer = server.post("/v1/check", {"text": "a"}, headers={"host": host})
    assert answer.status_code == (200 if served else 421)


def test_a_page_of_another_origin_cannot_have_anything_done(server: Server) -> None:
    own = server.url.rstrip("/")
    assert server.post("/v1/check", {"text": "a"}, headers={"origin": own}).status_code == 200
    for origin in ("https://attacker.example", "null", "http://localhost:1", "file://"):
        for path in ("/v1/check", "/v1/fix"):
            answer = server.post(path, {"text": "a"}, headers={"origin": origin})
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "unknown_origin")
        assert server.client.get("/v1/rules", headers={"origin": origin}).status_code == 403


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ],
)
def test_what_a_browser_sends_without_asking_is_refused(server: Server, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    answer = server.client.post("/v1/check", content=b'{"text": "a"}', headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "not_json")


def test_two_statements_of_the_length_are_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as client:
        client.sendall(
            b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b'Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{"text": "a"}\r\n0\r\n\r\n'
        )
        assert client.recv(100).startswith(b"HTTP/1.1 400 ")


def test_reading_changes_nothing(server: Server) -> None:
    routes = server.client.get("/openapi.json").json()["paths"]
    reading = [path for path, methods in routes.items() if "get" in methods]
    described = "/v1/rules/{kind}/{name}"
    compatible = {"/v2/languages", "/v2/info", "/v2/maxtextlength"}
    own = {"/v1/rules", described, "/v1/profiles", "/v1/models", "/healthz", "/readyz", "/metrics"}
    assert own | compatible == set(reading)
    for path in routes.keys() - set(reading):
        assert server.client.get(path.replace("{name}", "edit-check")).status_code == 405


@pytest.mark.parametrize("path", ["/healthz", "/v1/rules", "/nothing", "/v1/check", "/", "/openapi.json"])
def test_every_answer_tells_a_browser_to_be_careful(server: Server, path: str) -> None:
    head = server.client.get(path).headers
    assert head["x-content-type-options"] == "nosniff"
    assert head["x-frame-options"] == "DENY"
    assert head["referrer-policy"] == "no-referrer"
    policy = head["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "server" not in head


def test_the_files_of_the_page_are_served_with_a_strict_policy(server: Server) -> None:
    folder = ROOT / "src" / "unslant" / "server" / "page"
    for path in [path for path in folder.rglob("*") if path.suffix in (".html", ".js", ".css", ".svg")]:
        name = path.relative_to(folder).as_posix()
        answer = server.client.get(f"/page/{name}")
        assert (answer.status_code, answer.content) == (200, path.read_bytes())
        assert "script-src 'self';" in answer.headers["content-security-policy"]
        again = server.client.get(f"/page/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert server.client.head(f"/page/{name}").content == b""


def test_browsers_get_the_page_compressed(server: Server) -> None:
    sizes = {}
    for encoding in ("gzip, br", "br, GZIP ; q=0.5", "identity", "br, gzip;q=0", "gzip; q=0.000", "xgzip"):
        answer = server.client.get("/page/style.css", headers={"accept-encoding": encoding})
        assert answer.headers["vary"] == "accept-encoding"
        assert answer.text.startswith((ROOT / "src/unslant/server/page/style.css").read_text("utf-8")[:100])
        sizes[encoding] = int(answer.headers["content-length"])
    packed, *_, whole = sizes.values()
    assert packed < 0.5 * whole
    assert list(sizes.values()) == [packed] * 2 + [whole] * 4


def test_no_path_leads_out_of_the_page(server: Server) -> None:
    for path in (
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page//etc/passwd",
        "/page/..%2fapp.py",
        "/page/",
    ):
        assert server.client.get(path).status_code == 404


def test_unknown_paths_and_methods_give_json_errors(server: Server) -> None:
    assert server.client.get("/v3/check").json()["error"]["code"] == "not_found"
    answer = server.client.get("/v1/check")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["code"] == "method_not_allowed"


def test_no_text_and_no_token_in_any_log_whatever_breaks(start: Start) -> None:
    server = start("--log-requests", analyzers=("rules", "stumbling"), key="opensesame")
    shown = {"authorization": "Bearer opensesame"}
    text = "Confidential people stumble."
    assert server.post("/v1/check", {"text": text}, headers=shown).status_code == 500
    assert server.post("/v1/check", {"text": [text]}, headers=shown).status_code == 422
    server.client.post("/v1/check", content=b"{" + text.encode(), headers=shown | JSON)
    server.client.get(f"/{text}?{text}")
    server.post("/v1alpha1/comments:analyze", {"comment": {"text": text}}, params={"key": "opensesame"})
    # in company, a text that breaks a component fails alone
    items = [{"text": "A legendary plan."}, {"text": text}, {"text": "A legendary plan."}]
    answer = server.post("/v1/check", {"items": items}, headers=shown).json()["items"]
    assert [response["status"] for response in answer] == [200, 500, 200]
    assert len(answer[2]["report"]["findings"]) == 1
    assert "stumble" not in answer[1]["error"]["message"]
    server.process.terminate()
    assert server.process.wait(10) == 0
    log = server.log.read_text()
    assert log.count("POST /v1/check") >= 3
    assert "RuntimeError at:" in log
    for word in ("onfidential", "stumble.", "opensesame"):
        assert word not in log


def test_metrics_count_by_route_and_not_by_what_clients_make_up(server: Server) -> None:
    server.client.get("/made/up")
    server.post("/v1/check", {"text": "A plan."})
    page = server.client.get("/metrics").text
    assert 'unslant_requests_total{route="/v1/check",status="200"}' in page
    assert 'unslant_requests_total{route="other",status="404"}' in page
    assert "made" not in page
    assert "unslant_batch_texts_bucket" in page
    assert "process_resident_memory_bytes" in page


def test_a_browser_extension_needs_the_token(server: Server, locked_server: Server) -> None:
    for origin in ("chrome-extension://abcdefgh", "moz-extension://0a1b"):
        assert server.post("/v1/check", {"text": "a"}, headers={"origin": origin}).status_code == 403
        assert locked_server.post("/v1/check", {"text": "a"}, headers={"origin": origin}).status_code == 401
        shown = {"origin": origin, "authorization": "Bearer open sesame"}
        assert locked_server.post("/v1/check", {"text": "a"}, headers=shown).status_code == 200
    page = {"origin": "https://chrome-extension.example", "authorization": "Bearer open sesame"}
    assert locked_server.post("/v1/check", {"text": "a"}, headers=page).status_code == 403
