"""The routes."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from unslant.report.html import stylesheet
from unslant.report.wire import dumps
from unslant.server import documents, handlers, languagetool, lift_wing, perspective
from unslant.server.engine import BatchEngine, EngineRequest
from unslant.server.guard import PAGE_HEADERS, App, Guard, error_body
from unslant.server.monitoring import Metrics
from unslant.server.openapi import components, route
from unslant.server.reference import reference_page
from unslant.server.requests import (
    CheckMany,
    CheckOne,
    CompareRequest,
    ExplainRequest,
    FixMany,
    FixOne,
    ProfileRequest,
    RequestError,
)
from unslant.server.settings import ServerSettings, ServerState
from unslant.version import VERSION


def make_app(settings: ServerSettings, state: ServerState | None = None) -> App:
    """Return the ASGI application; ``state`` says whether the server is about to stop."""
    state = state or ServerState()
    metrics = Metrics()
    engine = BatchEngine(settings, metrics)
    # one document at a time, because it takes a multiple of its size while it is unpacked
    unpacking = ThreadPoolExecutor(1, "unslant-documents")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        unpacking.shutdown(wait=False, cancel_futures=True)
        await engine.close()

    app = FastAPI(
        title="unslant",
        version=VERSION,
        summary="Finds slanted wording, explains it, and suggests neutral wording.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_texts(app, engine, settings)
    _add_documents(app, unpacking, settings)
    _add_compatible(app, engine, settings)
    _add_languagetool(app, engine, settings)
    _add_state(app, engine, settings, metrics, state)
    files = load_page(settings.page)
    _add_page(app, files)
    _add_errors(app)
    paths = _describe(app)
    files["theme.css"] = _page_file(stylesheet().encode(), ".css")
    files["docs.html"] = _page_file(reference_page(app.openapi()).encode(), ".html")
    guard = Guard(app, settings, metrics, paths)
    if not settings.origins:
        return guard
    # outside the guard, so that a page of another origin can read errors
    return CORSMiddleware(
        guard,
        allow_origins=settings.origins,
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type"],
        expose_headers=["retry-after"],
    )


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")


async def _respond(engine: BatchEngine, order: EngineRequest) -> Response:
    return _json(await engine.answer(order))


def _add_texts(app: FastAPI, engine: BatchEngine, settings: ServerSettings) -> None:
    @app.post("/v1/check", **route("check", (CheckOne, CheckMany), ("Report", "Answers")))
    async def check(request: Request) -> Response:
        """Find slanted wording in one text, or in several."""
        return await _respond(engine, handlers.check(request.state.payload, settings))

    @app.post("/v1/compare", **route("compare", (CompareRequest,), ("Report",)))
    async def compare(request: Request) -> Response:
        """Find the slanted wording that a new version of a text introduces."""
        return await _respond(engine, handlers.compare(request.state.payload, settings))

    @app.post("/v1/fix", **route("fix", (FixOne, FixMany), ("Fixed", "FixedAnswers")))
    async def fix(request: Request) -> Response:
        """Rewrite one text, or several: return the edits, the verdict on each, and the resulting text."""
        return await _respond(engine, handlers.fix(request.state.payload, settings))

    @app.post("/v1/explain", **route("explain", (ExplainRequest,), ("Explanation",)))
    async def explain(request: Request) -> Response:
        """Say how much each word of a short text counts for the model."""
        return await _respond(engine, handlers.explain(request.state.payload, settings))

    @app.post("/v1/profile", **route("profile", (ProfileRequest,), ("Profile",)))
    async def profile(request: Request) -> Response:
        """Say by which profile a text is judged unless a request names one."""
        return await _respond(engine, handlers.profile(request.state.payload, settings))


def _add_documents(app: FastAPI, unpacking: ThreadPoolExecutor, settings: ServerSettings) -> None:
    async def respond(
        handler: Callable[[object, ServerSettings], dict[str, Any]], request: Request
    ) -> Response:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(unpacking, handler, request.state.payload, settings)
        return _json(dumps(found).encode("ascii"))

    @app.post("/v1/document/text", **route("documentText", (documents.DocumentRequest,), ("DocumentText",)))
    async def document_text(request: Request) -> Response:
        """Return the text of a Word or OpenDocument file, a paragraph per line."""
        return await respond(documents.read_document, request)

    @app.post(
        "/v1/document/changes",
        **route("documentChanges", (documents.ChangesRequest,), ("ChangedDocument",)),
    )
    async def document_changes(request: Request) -> Response:
        """Return a copy of a Word document with edits as tracked changes, and comments."""
        return await respond(documents.write_changes, request)


def _add_compatible(app: FastAPI, engine: BatchEngine, settings: ServerSettings) -> None:
    """Add the endpoints that are compatible with other services."""
    sent = (perspective.AnalyzeRequest,)

    @app.post("/v1alpha1/comments:analyze", **route("analyze", sent, ("Analyzed",), "AnalyzeError"))
    async def analyze(request: Request) -> Response:
        """Score the slant of a text, compatible with Perspective."""
        return await _respond(engine, perspective.analyze(request.state.payload, settings))

    described = route("predict", (lift_wing.PredictRequest,), ("Predictions",))
    described["responses"][404] = described["responses"][422] | {"description": "No such model."}

    @app.post("/v1/models/{name}:predict", **described)
    async def predict(name: str, request: Request) -> Response:
        """Predict whether an edit introduced slant, compatible with Lift Wing."""
        return await _respond(engine, lift_wing.predict(name, request.state.payload, settings))


def _add_languagetool(app: FastAPI, engine: BatchEngine, settings: ServerSettings) -> None:
    described = route("checkForm", (languagetool.CheckForm,), ("Matches",), media=languagetool.FORM)

    @app.post(languagetool.CHECK, **described)
    async def check_form(request: Request) -> Response:
        """Find slanted wording, compatible with LanguageTool."""
        address = str(request.base_url).rstrip("/")
        return await _respond(engine, languagetool.check(request.state.payload, settings, address))

    @app.get("/v2/languages", operation_id="listLanguages", responses=_returns("Languages"))
    async def list_languages() -> Response:
        """List the languages, compatible with LanguageTool."""
        return _json(dumps(languagetool.languages()).encode("ascii"))

    @app.get("/v2/info", operation_id="getSoftware", responses=_returns("Software"))
    async def get_software() -> Response:
        """Name the software, compatible with LanguageTool."""
        return _json(dumps(languagetool.info()).encode("ascii"))

    @app.get(
        "/v2/maxtextlength",
        operation_id="getMaxTextLength",
        responses={
            200: {"description": "Characters.", "content": {"text/plain": {"schema": {"type": "string"}}}}
        },
    )
    async def get_max_text_length() -> Response:
        """Return how many characters a text can have, compatible with LanguageTool."""
        return Response(str(settings.limits.text_length), media_type="text/plain; charset=utf-8")


def _add_state(
    app: FastAPI, engine: BatchEngine, settings: ServerSettings, metrics: Metrics, state: ServerState
) -> None:
    rules = dumps(handlers.rules(settings)).encode("ascii")
    models = dumps(handlers.models(settings)).encode("ascii")

    @app.get("/v1/rules", operation_id="listRules", responses=_returns("Rules"))
    async def list_rules() -> Response:
        """List the rules."""
        return _json(rules)

    @app.get(
        "/v1/rules/{kind}/{name}",
        operation_id="getRule",
        responses=_returns("Rule") | {404: {"description": "No such rule.", **_json_of("Error")}},
    )
    async def get_rule(kind: str, name: str) -> Response:
        """Describe a rule or a technique of the model, with its source and examples."""
        # the first time, the whole catalogue is read
        found = await asyncio.to_thread(handlers.rule, f"{kind}/{name}", settings)
        return _json(dumps(found).encode("ascii"))

    profiles = dumps(handlers.profiles()).encode("ascii")

    @app.get("/v1/profiles", operation_id="listProfiles", responses=_returns("Profiles"))
    async def list_profiles() -> Response:
        """List the profiles."""
        return _json(profiles)

    @app.get("/v1/models", operation_id="listModels", responses=_returns("Models"))
    async def list_models() -> Response:
        """List the analyzers."""
        return _json(models)

    @app.get("/healthz", operation_id="getHealth", responses=_returns("State"))
    async def healthz() -> Response:
        """Report that the server is running."""
        return _json(dumps({"status": "ok", "version": VERSION}).encode("ascii"))

    busy: dict[int | str, dict[str, Any]] = {
        503: {"description": "The server is busy or stopping.", **_json_of("State")}
    }

    @app.get("/readyz", operation_id="getReadiness", responses=_returns("State") | busy)
    async def readyz() -> Response:
        """Report whether the server would accept another request."""
        status = "stopping" if state.draining else "ready" if engine.ready() else "busy"
        return _json(dumps({"status": status}).encode("ascii"), 200 if status == "ready" else 503)

    text = {"text/plain": {"schema": {"type": "string"}}}

    @app.get(
        "/metrics",
        operation_id="getMetrics",
        responses={200: {"description": "Metrics.", "content": text}},
    )
    async def show_metrics() -> Response:
        """Return the metrics for Prometheus."""
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _returns(name: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": "The response.", **_json_of(name)}}


def _json_of(name: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}


def _add_page(app: FastAPI, files: Mapping[str, PageFile]) -> None:
    def serve_file(name: str, request: Request) -> Response:
        file = files.get(name)
        if file is None:
            raise RequestError(404, "not_found", "no such page")
        packs = _takes_gzip(request.headers.get("accept-encoding", ""))
        head = {**PAGE_HEADERS, "etag": file.etag, "vary": "accept-encoding"}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=head)
        if packs:
            head["content-encoding"] = "gzip"
        return Response(file.packed if packs else file.content, headers=head, media_type=file.type)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index(request: Request) -> Response:
        return serve_file("index.html", request)

    @app.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    async def docs(request: Request) -> Response:
        return serve_file("docs.html", request)

    @app.api_route("/page/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(name: str, request: Request) -> Response:
        return serve_file(name, request)


def _takes_gzip(accepted: str) -> bool:
    """Return whether a client accepts gzip; a weight of 0 says that it does not."""
    codings = (entry.replace(" ", "").partition(";") for entry in accepted.lower().split(","))
    return any(name == "gzip" and weight.rstrip("0.") != "q=" for name, _, weight in codings)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def handle_error(request: Request, error: RequestError) -> Response:
        answer = _json(dumps(error_body(request.url.path, error)).encode("ascii"), error.status)
        answer.headers.update(error.headers)
        return answer

    @app.exception_handler(HTTPException)
    async def handle_http_error(request: Request, error: HTTPException) -> Response:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
        answer = await handle_error(request, RequestError(error.status_code, code, str(error.detail).lower()))
        answer.headers.update(error.headers or {})
        return answer


def _describe(app: FastAPI) -> Collection[str]:
    """Add the schemas to the OpenAPI document, and return its paths."""
    document = app.openapi()
    document.setdefault("components", {})["schemas"] = components()
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]
    for path in document["paths"].values():
        for operation in path.values():
            # FastAPI's own validation errors cannot occur, because it validates only the name in a path
            if "HTTPValidationError" in str(operation["responses"].get("422")):
                del operation["responses"]["422"]
    app.openapi_schema = document
    return tuple(document["paths"])


_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""The file types that are served; other files in the folder are not for browsers."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the page."""

    content: bytes
    packed: bytes
    """The content, compressed once by gzip: nothing of a request is in it."""
    type: str
    etag: str
    """Weak, as both forms have the same."""


def load_page(folder: Path) -> dict[str, PageFile]:
    """Return every file by its relative path.

    The files are held in memory, so that a path in a request never reaches the disk.
    """
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and path.suffix in _TYPES:
            found[path.relative_to(folder).as_posix()] = _page_file(path.read_bytes(), path.suffix)
    return found


def _page_file(content: bytes, suffix: str) -> PageFile:
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
    return PageFile(content, gzip.compress(content, mtime=0), _TYPES[suffix], etag)
