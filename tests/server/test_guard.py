"""Access, headers for browsers, and what is never revealed."""

from __future__ import annotations

import pytest

from .conftest import ROOT, Server, Start


def test_a_token_opens_what_reads_texts_and_nothing_else_needs_it(locked_server: Server) -> None:
    server = locked_server
    for headers in ({}, {"authorization": "Bearer open"}, {"authorization": "Basic open sesame"}):
        answer = server.post("/v1/check", {"text": "a"}, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.json()["error"]["code"] == "unauthorized"
        assert server.client.get("/metrics", headers=headers).status_code == 401
    shown = {"authorization": "Bearer open sesame"}
    assert server.post("/v1/check", {"text": "a"}, headers=shown).status_code == 200
    assert server.client.get("/metrics", headers=shown).status_code == 200
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert server.client.get(path).status_code == 200


def test_pages_of_other_origins_may_call_only_when_asked_for(server: Server, locked_server: Server) -> None:
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
    assert server.client.get("/v2/check").json()["error"]["code"] == "not_found"
    answer = server.client.get("/v1/check")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["code"] == "method_not_allowed"


def test_no_text_and_no_token_in_any_log_whatever_breaks(start: Start) -> None:
    server = start("--log-requests", analyzers=("rules", "stumbling"), key="opensesame")
    shown = {"authorization": "Bearer opensesame"}
    text = "Confidential people stumble."
    assert server.post("/v1/check", {"text": text}, headers=shown).status_code == 500
    assert server.post("/v1/check", {"text": [text]}, headers=shown).status_code == 422
    server.client.post("/v1/check", content=b"{" + text.encode(), headers=shown)
    server.client.get(f"/{text}?{text}")
    server.post("/v1alpha1/comments:analyze", {"comment": {"text": text}}, params={"key": "opensesame"})
    # in company, a text that breaks a component fails alone
    items = [{"text": "A legendary plan."}, {"text": text}, {"text": "A legendary plan."}]
    answer = server.post("/v1/check", {"items": items}, headers=shown).json()["items"]
    assert [one["status"] for one in answer] == [200, 500, 200]
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
