"""Which requests carry a message that MCP is given, and what the others are told."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from mcp.server.streamable_http import check_accept_headers
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    InitializeRequestParams,
    JSONRPCError,
    JSONRPCRequest,
)
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from starlette.requests import Request
from starlette.responses import Response

from runtime.server.admission import refuse


def refuse_form(request: Request) -> Response | None:
    """Why a POST cannot carry a message in either protocol era, if it cannot."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        return refuse(415, f"The Content-Type is {content_type[:100]!r}; it must be application/json.")
    if not check_accept_headers(request)[0]:
        return refuse(406, f"Accept is {request.headers.get('accept', '')[:100]!r}; it must allow application/json.")
    return None


def refuse_message(body: bytes) -> Response | None:
    """Why a body is not one JSON-RPC message, if it is not."""
    try:
        message = json.loads(body.decode())
    except (ValueError, RecursionError):
        return _answer(PARSE_ERROR, "The body is not JSON in UTF-8, or is nested too deep.")
    wrong = _find_wrong(message)
    return None if wrong is None else _answer(INVALID_REQUEST, wrong)


def is_initialize(body: bytes) -> bool:
    """Whether this is an initialize that will be granted; nothing else makes a session."""
    try:
        request = JSONRPCRequest.model_validate_json(body, by_name=False)
        if request.method == "initialize":
            InitializeRequestParams.model_validate(request.params, by_name=False)
    except ValueError:
        return False
    return request.method == "initialize"


def refuse_version(version: str, body: bytes) -> Response:
    """Send clients of the stateless era to the older one, which they fall back to, or to a session's own URL."""
    request_id = None
    with contextlib.suppress(ValueError):
        request_id = JSONRPCRequest.model_validate_json(body, by_name=False).id
    return _answer(
        UNSUPPORTED_PROTOCOL_VERSION,
        "This URL keeps a session per Mcp-Session-Id; use an older protocol, or POST /sessions for a URL.",
        request_id=request_id,
        data={"supported": [LATEST_HANDSHAKE_VERSION], "requested": version},
    )


def _find_wrong(message: Any) -> str | None:
    if not isinstance(message, dict):
        return "The body must be one JSON-RPC message, an object; batches are not served."
    if message.get("jsonrpc") != "2.0":
        return "The message must have jsonrpc '2.0'."
    is_answer = "result" in message or "error" in message
    if not is_answer and not isinstance(message.get("method"), str):
        return "The message must have a method, which is text."
    if "id" in message and (isinstance(message["id"], bool) or not isinstance(message["id"], int | str)):
        return "The id of a message must be text or a whole number."
    if not isinstance(message.get("params", {}), dict | None):
        return "The params of a message must be an object."
    return None


def _answer(code: int, sentence: str, *, request_id: int | str | None = None, data: Any = None) -> Response:
    error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=sentence, data=data))
    return Response(error.model_dump_json(by_alias=True), 400, media_type="application/json")
