"""The routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from unslant.report.wire import dumps
from unslant.server import handlers, headers
from unslant.server.engine import Engine
from unslant.server.guard import Guard, wire_error
from unslant.server.metrics import Metrics
from unslant.server.orders import Order
from unslant.server.page_files import load_page
from unslant.server.refusal import Refusal
from unslant.server.settings import ServerSettings
from unslant.version import VERSION

__all__ = ["make_app"]


def make_app(settings: ServerSettings) -> Guard:
    """Build everything that the settings name and return the ASGI application."""
    metrics = Metrics()
    engine = Engine(settings, metrics)

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
    _add_state(app, engine, settings, metrics)
    _add_page(app, settings)
    _add_errors(app)
    return Guard(app, settings, metrics)


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")


def _add_texts(app: FastAPI, engine: Engine, settings: ServerSettings) -> None:
    async def answered(order: Order) -> Response:
        return _json(await engine.answer(order))

    @app.post("/v1/check")
    async def check(request: Request) -> Response:
        return await answered(handlers.check(request.state.payload, settings))

    @app.post("/v1/fix")
    async def fix(request: Request) -> Response:
        return await answered(handlers.fix(request.state.payload, settings))

    @app.post("/v1/compare")
    async def compare(request: Request) -> Response:
        return await answered(handlers.compare(request.state.payload, settings))


def _add_state(app: FastAPI, engine: Engine, settings: ServerSettings, metrics: Metrics) -> None:
    rules = dumps(handlers.rules(settings)).encode("ascii")
    models = dumps(handlers.models(settings)).encode("ascii")

    @app.get("/v1/rules")
    async def list_rules() -> Response:
        return _json(rules)

    @app.get("/v1/models")
    async def list_models() -> Response:
        return _json(models)

    @app.get("/healthz")
    async def healthz() -> dict[str, Any]:
        return {"status": "ok", "version": VERSION}

    @app.get("/readyz")
    async def readyz() -> Response:
        ready = engine.ready()
        return _json(dumps({"status": "ready" if ready else "busy"}).encode(), 200 if ready else 503)

    @app.get("/metrics")
    async def show_metrics() -> Response:
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_page(app: FastAPI, settings: ServerSettings) -> None:
    files = load_page(settings.page)

    def served(name: str, request: Request) -> Response:
        file = files.get(name)
        if file is None:
            raise Refusal(404, "not_found", "there is no such page")
        head = {**headers.PAGE, "etag": file.etag}
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
