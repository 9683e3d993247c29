"""The studio's server: who may ask it, what it answers at each path, and the events that open pages get."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import runtime
from runtime.errors import UsageError, WorldsmithError
from worldsmith.studio.domains import (
    describe_domain,
    describe_mending,
    list_cards,
    path_of,
    read_example_rows,
    stamp_mending,
)
from worldsmith.studio.farms import Farms
from worldsmith.studio.plays import Play, Plays
from worldsmith.studio.runs import Runs
from worldsmith.studio.saving import describe_session, prove_session

_LAG = 100  # events that wait for a slow page
_ALIVE_SECONDS = 15
_POLL_SECONDS = 1.0  # of what other commands write
_END = ""  # of a stream


class Hub:
    """All pages that listen; used on one event loop."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[str]] = set()
        self._closing = False

    def tell(self, kind: str, data: Any) -> None:
        """Tell every page."""
        for queue in self._queues:
            if queue.full():
                _replace(queue, _written("reload", None))
            else:
                queue.put_nowait(_written(kind, data))

    def close(self) -> None:
        """End all streams; a server that is to stop waits for them."""
        self._closing = True
        for queue in self._queues:
            _replace(queue, _END)

    async def stream(self, request: Request) -> StreamingResponse:
        """Answer a page with events from now on; one that was connected before reads everything anew first."""
        return StreamingResponse(self._lines("last-event-id" in request.headers), media_type="text/event-stream")

    async def _lines(self, was_connected: bool) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(_LAG)
        self._queues.add(queue)
        try:
            yield "retry: 1000\nid: 0\n" + _written("reload" if was_connected else "hello", None)
            while not self._closing:
                try:
                    event = await asyncio.wait_for(queue.get(), _ALIVE_SECONDS)
                except TimeoutError:
                    event = ": alive\n\n"  # a page that is gone is noticed by writing to it
                if event == _END:
                    break
                yield event
        finally:
            self._queues.discard(queue)


def _written(kind: str, data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def _replace(queue: asyncio.Queue[str], event: str) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(event)


STATIC = Path(runtime.__file__).parent / "page" / "static"
_MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}  # Windows knows others
_MOST_BYTES = 1024 * 1024  # of a body
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class Studio:
    """What all answers are made of."""

    def __init__(self, store: Path | None = None, farm: Path | None = None) -> None:
        """`store` is that of an evaluation to show beside those in ./runs, `farm` a farm's list elsewhere."""
        self.hub = Hub()
        self.plays = Plays(self.hub.tell)
        self.runs = Runs(store)
        self.farms = Farms(farm)
        self._watching: asyncio.Task[None] | None = None

    async def events(self, request: Request) -> Response:
        """Answer a page with events; from the first one on, stores, farms and mendings are watched."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        return await self.hub.stream(request)

    async def _watch(self) -> None:
        """Tell which run was written to, which farm went on, and which domain was mended, for ever."""
        seen = self._stamps()
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            now = await asyncio.to_thread(self._stamps)
            for kind, name in now:
                if now[kind, name] != seen.get((kind, name)):
                    self.hub.tell(kind, {kind: name})
            seen = now

    def _stamps(self) -> dict[tuple[str, str], Any]:
        kinds = {"run": self.runs.stamps(), "farm": self.farms.stamps(), "mending": stamp_mending()}
        return {(kind, name): stamp for kind, stamps in kinds.items() for name, stamp in stamps.items()}

    async def save(self, request: Request) -> Response:
        """Answer with a session of a play or a run, or with what came of an edit of it, whose proofs take seconds."""
        kind, name, at = (request.path_params[each] for each in ("kind", "name", "at"))
        if kind == "play":
            played, domain = self.plays.find(name).session(at), self.plays.find(name).asked.domain
        else:
            played = await asyncio.to_thread(self.runs.session, name, at)
            domain = played.domain.name
        if request.method == "GET":
            return _answer(await asyncio.to_thread(describe_session, played, path_of(domain)))
        asked = await read_body(request)
        return _answer(await asyncio.to_thread(prove_session, played, path_of(domain), asked))


def build_app(studio: Studio, port: int, token: str) -> ASGIApp:
    """Return the application of a studio on a port of this machine; only browsers with its token are answered."""
    runs, farms = studio.runs, studio.farms
    routes = [
        Route("/", lambda _: FileResponse(STATIC / "studio.html", media_type="text/html")),
        Route("/static/{name}", _static),
        Route("/events", studio.events),
        _in_thread("/api/domains", lambda _: list_cards()),
        _in_thread("/api/domains/{name}", lambda asked: describe_domain(**asked.path_params)),
        _in_thread(
            "/api/domains/{name}/rows", lambda asked: read_example_rows(**asked.path_params, **_rows_asked(asked))
        ),
        _in_thread("/api/mending/{name}", lambda asked: describe_mending(**asked.path_params)),
        _in_thread("/api/farms", lambda _: farms.list()),
        _in_thread("/api/farms/{name}", lambda asked: farms.describe(**asked.path_params)),
        _in_thread("/api/runs", lambda _: runs.list()),
        _in_thread("/api/runs/{name}", lambda asked: runs.describe(**asked.path_params)),
        _in_thread("/api/runs/{name}/with/{other}", lambda asked: runs.compare(**asked.path_params)),
        _in_thread("/api/episodes/{name}/{number:int}", lambda asked: runs.episode(**asked.path_params)),
        _in_thread("/api/systems/{name}/{domain}", lambda asked: runs.system(**asked.path_params)),
        *_play_routes(studio.plays),
        Route("/api/save/{kind}/{name}/{at:int}", studio.save, methods=["GET", "POST"]),
    ]
    app = Starlette(
        routes=routes, exception_handlers=dict.fromkeys((HTTPException, WorldsmithError, Exception), _explain)
    )

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        refused = _refuse(Request(scope), port, token) if scope["type"] == "http" else None
        await (refused or app)(scope, receive, send_with_headers)

    return guarded


def _in_thread(path: str, told: Callable[[Request], Any]) -> Route:
    return Route(path, lambda request: _answer(told(request)))


def _on_loop(path: str, told: Callable[[Request], Any], methods: Sequence[str] = ("GET",), status: int = 200) -> Route:
    async def answer(request: Request) -> Response:
        value = told(request)
        return _answer(await value if isawaitable(value) else value, status)

    return Route(path, answer, methods=[*methods])


def _play_routes(plays: Plays) -> list[Route]:
    """Return all routes about plays; on the event loop, since a database belongs to the thread that opened it."""

    async def start(request: Request) -> Any:
        return {"play": (await plays.start(await read_body(request))).name}

    def the_play(request: Request) -> Play:
        return plays.find(request.path_params["play"])

    async def act(request: Request) -> Any:
        body, play = await read_body(request), the_play(request)
        at = body.get("at")
        if type(at) is not int:
            raise HTTPException(400, f"at is {at!r:.100}; it must be the number of a step.")
        match request.path_params["act"]:
            case "call":
                step = await play.call(at, _text(body, "tool"), body.get("arguments", {}))
            case "say":
                step = await play.say(at, _text(body, "text"))
            case "watch":
                step = await play.watch(at, _text(body, "agent"))
            case other:
                raise HTTPException(404, f"A play cannot {other!r:.50}; it can call, say and watch.")
        return {"step": step.told}

    def number(request: Request, name: str) -> int:
        return _number(request.query_params.get(name, ""))

    return [
        _on_loop("/api/plays", lambda _: plays.list()),
        _on_loop("/api/plays", start, ["POST"], 201),
        _on_loop("/api/plays/{play}", lambda asked: the_play(asked).describe()),
        _on_loop("/api/plays/{play}/{act}", act, ["POST"]),
        _on_loop(
            "/api/plays/{play}/rows/{step:int}",
            lambda asked: the_play(asked).rows(asked.path_params["step"], **_rows_asked(asked)),
        ),
        _on_loop("/api/plays/{play}/verdict", lambda asked: the_play(asked).verdict(number(asked, "at"))),
        _on_loop(
            "/api/plays/{play}/compare", lambda asked: the_play(asked).compare(number(asked, "a"), number(asked, "b"))
        ),
    ]


def _refuse(request: Request, port: int, token: str) -> Response | None:
    """Return the answer to whoever may not ask, or who brings the token; None for everybody else."""
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    if request.headers.get("host") not in hosts:
        return _error(421, f"This server is http://{hosts[0]}; it has no other name.")
    if origin is not None and origin not in [f"http://{host}" for host in hosts]:
        return _error(403, "Pages from elsewhere may not ask here.")
    if request.method not in ("GET", "HEAD") and site not in ("same-origin", "none"):
        return _error(403, "Pages from elsewhere may not ask here.")
    cookie = f"worldsmith_studio_{port}"  # browsers send it to all ports
    if request.url.path == "/" and _same(request.query_params.get("token", ""), token):
        answer = RedirectResponse("/", 303)
        # Not `strict`: a browser leaves such a cookie out when the link is followed from another page.
        answer.set_cookie(cookie, token, httponly=True, samesite="lax")
        return answer
    if _same(request.cookies.get(cookie, ""), token):
        return None
    sentence = "Open the link that `worldsmith studio` printed: it was started anew, or this browser was never let in."
    return PlainTextResponse(sentence, 403) if request.url.path == "/" else _error(403, sentence)


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


async def _static(request: Request) -> Response:
    file = STATIC / request.path_params["name"]
    if file.suffix not in _MEDIA_TYPES or not file.is_file():
        raise HTTPException(404, f"There is no file {file.name!r:.100}.")
    return FileResponse(file, media_type=_MEDIA_TYPES[file.suffix])


async def read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request carries; errors: HTTPException."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise HTTPException(415, "The body must be application/json.")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BYTES:
                raise HTTPException(413, f"The body is larger than {_MOST_BYTES:,} bytes.")
    except ClientDisconnect:
        raise HTTPException(400, "The browser is gone.") from None
    try:
        asked = from_json(bytes(body) or b"{}", allow_inf_nan=False)
        json.dumps(asked, allow_nan=False)  # 1e999 is read as infinity
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise HTTPException(400, "The body must be a JSON object.")
    return asked


def _rows_asked(request: Request) -> dict[str, Any]:
    asked = request.query_params
    return {"table": asked.get("table", ""), "page": _number(asked.get("page", "0")), "find": asked.get("find", "")}


def _text(body: Mapping[str, Any], name: str) -> str:
    text = body.get(name)
    if not isinstance(text, str) or not text.strip():
        raise HTTPException(400, f"{name} is {text!r:.100}; it must be a text.")
    return text


def _number(text: str) -> int:
    if not (text.isdecimal() and len(text) < 10):
        raise HTTPException(400, f"{text[:100]!r} is not a number.")
    return int(text)


def _answer(value: Any, status: int = 200) -> Response:
    return Response(to_json(value, bytes_mode="hex"), status, media_type="application/json")


def _error(status: int, sentence: str) -> Response:
    return _answer({"error": sentence}, status)


async def _explain(_: Request, error: Exception) -> Response:
    match error:
        case HTTPException():
            return _error(error.status_code, f"{error.detail.rstrip('.')}.")
        case WorldsmithError():
            return _error(400 if isinstance(error, UsageError) else 500, str(error))
    return _error(500, f"The studio failed: {type(error).__name__}: {error}.")
