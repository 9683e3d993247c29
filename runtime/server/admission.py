"""Who may ask: by which names of the server, from which pages, with what in the head of a request, and who is admin."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Iterable, Mapping

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from runtime.errors import UsageError

HEAD_BYTES = 16_384

_DEFAULT_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::([1-9][0-9]{0,4}))?")
_ORIGIN = re.compile(r"(https?)://(.+)")
_TOKEN = re.compile(rb"[!-~]+")

Name = tuple[str, int | None]  # what an address names: a host in lower case, and a port where one is written


class Admission:
    """Decides of each request whether the server listens to it at all.

    A page on the web that makes a name of its own stand for this machine still sends that name, so requests must use
    a name of this server: `127.0.0.1`, `localhost`, `[::1]` or the address it listens on, with the port that the
    request came in by, or one of `further` names. A page may ask only if it was loaded from such an address.
    """

    def __init__(self, host: str, further: Iterable[str], token: str) -> None:
        """Errors: UsageError."""
        if not _TOKEN.fullmatch(token.encode()):
            raise UsageError("An HTTP server needs an admin token of ASCII characters without spaces.")
        self._token = token.encode()
        self._own = {"127.0.0.1", "localhost", "[::1]"}
        listening = _read_name(f"[{host}]" if ":" in host else host)
        if listening is not None and not _is_unspecified(host):
            self._own.add(listening[0])
        self._further = {_read_further(name) for name in further}

    def refuse(self, scope: Scope) -> Response | None:
        """Why a request is not heard, if it is not."""
        head = _read_head(scope)
        hosts, origins = head.get("host", []), head.get("origin", [])
        if len(hosts) != 1:
            return refuse(421, f"The request has {len(hosts)} Host headers; it needs one.")
        if not self._knows(_read_name(hosts[0]), 80, scope):
            return refuse(421, f"{hosts[0][:100]!r} is not a name of this server; --allow-host adds one.")
        if len(origins) > 1 or (origins and not self._knows_page(origins[0], scope)):
            return refuse(
                403, f"Pages from {', '.join(origins)[:100]!r} may not ask here; --allow-host adds their host."
            )
        if "content-length" in head and "transfer-encoding" in head:
            sentence = "The request has both Content-Length and Transfer-Encoding; send one of them."
            return refuse(400, sentence, {"Connection": "close"})  # where its body ends is a matter of opinion
        if set(head.get("content-encoding", [])) - {"identity"}:
            return refuse(415, "The body is encoded; send it without Content-Encoding.")
        size = len(scope["raw_path"]) + len(scope["query_string"])
        if size + sum(len(name) + len(value) for name, value in scope["headers"]) > HEAD_BYTES:
            return refuse(431, f"The head of the request is larger than {HEAD_BYTES} bytes.")
        if b"%" in scope["raw_path"]:
            return refuse(404, "There is nothing here; no path of this server is written with %.")
        return None

    def refuse_stranger(self, scope: Scope) -> Response | None:
        """Why a request is not the admin's, if it is not."""
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token, self._token):
            return None
        sentence = "This needs the server's admin token: Authorization: Bearer TOKEN."
        return refuse(401, sentence, {"WWW-Authenticate": "Bearer"})

    def _knows_page(self, origin: str, scope: Scope) -> bool:
        found = _ORIGIN.fullmatch(origin.lower())
        return found is not None and self._knows(_read_name(found[2]), _DEFAULT_PORTS[found[1]], scope)

    def _knows(self, name: Name | None, default_port: int, scope: Scope) -> bool:
        if name is None:
            return False
        host, port = name
        is_ours = (port or default_port) == (scope.get("server") or (None, None))[1]
        return name in self._further or (is_ours and (host in self._own or (host, None) in self._further))


def refuse(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that is one sentence."""
    return JSONResponse({"error": sentence}, status, headers)


def _read_head(scope: Scope) -> dict[str, list[str]]:
    head: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        head.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return head


def _read_name(text: str) -> Name | None:
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None:
        return None
    host, port = found[1], int(found[2]) if found[2] else None
    if host.startswith("["):
        try:
            host = f"[{ipaddress.IPv6Address(host[1:-1])}]"
        except ValueError:
            return None
    return None if port is not None and port > 65_535 else (host, port)


def _read_further(text: str) -> Name:
    name = _read_name(text)
    if name is None:
        raise UsageError(f"--allow-host is {text!r}; it must be a host name or an address, as in example.org:8443")
    return name


def _is_unspecified(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == ""
