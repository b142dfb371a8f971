"""The routes."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from unslant.report.wire import dumps
from unslant.server import handlers, lift_wing, perspective
from unslant.server.engine import BatchEngine, Order
from unslant.server.guard import PAGE_HEADERS, App, Guard, wire_error
from unslant.server.monitoring import Metrics
from unslant.server.openapi import components, route
from unslant.server.requests import CheckMany, CheckOne, CompareRequest, FixMany, FixOne, Refusal
from unslant.server.settings import ServerSettings
from unslant.version import VERSION

__all__ = ["File", "load_page", "make_app"]


def make_app(settings: ServerSettings) -> App:
    """Build everything that the settings name and return the ASGI application."""
    metrics = Metrics()
    engine = BatchEngine(settings, metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        engine.close()

    app = FastAPI(
        title="unslant",
        version=VERSION,
        summary="Finds slanted wording, says what kind it is and why, and offers a neutral wording.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_texts(app, engine, settings)
    _add_shapes(app, engine, settings)
    _add_state(app, engine, settings, metrics)
    _add_page(app, settings)
    _add_errors(app)
    paths = _describe(app)
    guard = Guard(app, settings, metrics, paths)
    if not settings.origins:
        return guard
    # outside the guard, so that a page of another origin may read why it was refused
    return CORSMiddleware(
        guard,
        allow_origins=settings.origins,
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type"],
        expose_headers=["retry-after"],
    )


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")


async def _answered(engine: BatchEngine, order: Order) -> Response:
    return _json(await engine.answer(order))


def _add_texts(app: FastAPI, engine: BatchEngine, settings: ServerSettings) -> None:
    @app.post("/v1/check", **route("check", (CheckOne, CheckMany), ("Report", "Answers")))
    async def check(request: Request) -> Response:
        """Find slanted wording in one text, or in several."""
        return await _answered(engine, handlers.check(request.state.payload, settings))

    @app.post("/v1/compare", **route("compare", (CompareRequest,), ("Report",)))
    async def compare(request: Request) -> Response:
        """Find the slanted wording that one version of a text has and the version before had not."""
        return await _answered(engine, handlers.compare(request.state.payload, settings))

    @app.post("/v1/fix", **route("fix", (FixOne, FixMany), ("Fixed", "FixedAnswers")))
    async def fix(request: Request) -> Response:
        """Rewrite one text, or several: the edits, what the gates say of each, and the text that comes out."""
        return await _answered(engine, handlers.fix(request.state.payload, settings))


def _add_shapes(app: FastAPI, engine: BatchEngine, settings: ServerSettings) -> None:
    """Add the endpoints in the shape of other services."""
    sent = (perspective.AnalyzeRequest,)

    @app.post("/v1alpha1/comments:analyze", **route("analyze", sent, ("Analyzed",), "AnalyzeRefused"))
    async def analyze(request: Request) -> Response:
        """Score a text, in the shape of Perspective; what is measured is slant."""
        return await _answered(engine, perspective.analyze(request.state.payload, settings))

    described = route("predict", (lift_wing.PredictRequest,), ("Predictions",))
    described["responses"][404] = described["responses"][422] | {"description": "There is no such model."}

    @app.post("/v1/models/{name}:predict", **described)
    async def predict(name: str, request: Request) -> Response:
        """Say whether an edit brought slant in, in the shape of Lift Wing."""
        return await _answered(engine, lift_wing.predict(name, request.state.payload, settings))


def _add_state(app: FastAPI, engine: BatchEngine, settings: ServerSettings, metrics: Metrics) -> None:
    rules = dumps(handlers.rules(settings)).encode("ascii")
    models = dumps(handlers.models(settings)).encode("ascii")

    @app.get("/v1/rules", responses=_gives("Rules"))
    async def list_rules() -> Response:
        """List the rules."""
        return _json(rules)

    @app.get("/v1/models", responses=_gives("Models"))
    async def list_models() -> Response:
        """List who speaks."""
        return _json(models)

    @app.get("/healthz", responses=_gives("State"))
    async def healthz() -> Response:
        """Say that the server runs."""
        return _json(dumps({"status": "ok", "version": VERSION}).encode("ascii"))

    @app.get("/readyz", responses=_gives("State") | {503: {"description": "It takes no more at the moment."}})
    async def readyz() -> Response:
        """Say whether the server would take another request."""
        ready = engine.ready()
        return _json(dumps({"status": "ready" if ready else "busy"}).encode("ascii"), 200 if ready else 503)

    @app.get("/metrics", responses={200: {"description": "Metrics.", "content": {"text/plain": {}}}})
    async def show_metrics() -> Response:
        """Show what Prometheus collects."""
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _gives(name: str) -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {200: {"description": "The answer.", "content": content}}


def _add_page(app: FastAPI, settings: ServerSettings) -> None:
    files = load_page(settings.page)

    def served(name: str, request: Request) -> Response:
        file = files.get(name)
        if file is None:
            raise Refusal(404, "not_found", "there is no such page")
        head = {**PAGE_HEADERS, "etag": file.etag}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=head)
        return Response(file.content, headers=head, media_type=file.type)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index(request: Request) -> Response:
        return served("index.html", request)

    @app.api_route("/page/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(name: str, request: Request) -> Response:
        return served(name, request)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> Response:
        answer = _json(dumps(wire_error(request.url.path, refusal)).encode("ascii"), refusal.status)
        answer.headers.update(refusal.headers)
        return answer

    @app.exception_handler(HTTPException)
    async def unanswered(request: Request, error: HTTPException) -> Response:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
        answer = await refused(request, Refusal(error.status_code, code, str(error.detail).lower()))
        answer.headers.update(error.headers or {})
        return answer


def _describe(app: FastAPI) -> Collection[str]:
    """Complete the OpenAPI document with the schemas that the routes name; return the paths in it."""
    document = app.openapi()
    document.setdefault("components", {})["schemas"] = components()
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]
    for path in document["paths"].values():
        for operation in path.values():
            # FastAPI's own refusals never come up, as it validates nothing here but the name in a path
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
"""What is served; anything else in the folder is not for browsers."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of the page."""

    content: bytes
    type: str
    etag: str


def load_page(folder: Path) -> dict[str, File]:
    """Return every file by its path below the folder; none if there is no page."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and path.suffix in _TYPES:
            content = path.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[path.relative_to(folder).as_posix()] = File(content, _TYPES[path.suffix], etag)
    return found
