"""How a JSON or YAML document is read: one file or many, `$ref` followed only where somebody looks, never expanded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx2
import yaml

from runtime.errors import UsageError

MOST_BYTES = 20_000_000
_MOST_HOPS = 20  # of references that refer to references
_SECONDS = 20.0


class Document:
    """The files of a document by address, each read once.

    Files are read only from the folder of the first one, and addresses only from its host: a document cannot pull in
    what its reader did not name.
    """

    def __init__(self, source: str) -> None:
        """Read the first file. `source` is a path or an http(s) address; errors: UsageError."""
        self._files: dict[str, Any] = {}
        self.is_remote = source.startswith(("http://", "https://"))
        self.address = source if self.is_remote else Path(source).resolve().as_uri()
        self.root = DocumentNode(self, self._load(self.address), self.address, "")

    @classmethod
    def of(cls, value: Any, name: str) -> Document:
        """A document that is already there, such as a tool's schema; it can only refer to itself."""
        document = cls.__new__(cls)
        document.is_remote, document.address = False, f"memory:/{quote(name)}"
        document._files = {document.address: value}
        document.root = DocumentNode(document, value, document.address)
        return document

    def follow(self, address: str) -> DocumentNode:
        """The node that a whole address with its fragment names; errors: UsageError."""
        file, _, pointer = address.partition("#")
        value = self._load(file)
        parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in pointer.strip("/").split("/") if part]
        for part in parts:
            try:
                value = value[int(part)] if isinstance(value, list) else value[part]
            except (KeyError, IndexError, ValueError, TypeError):
                raise UsageError(f"{self._said(file)} has nothing at {'#' + pointer!r}, which a $ref names.") from None
        name = parts[-1] if parts else Path(urlsplit(file).path).name.split(".")[0]
        return DocumentNode(self, value, file, name, address)

    def _load(self, address: str) -> Any:
        if address not in self._files:
            text = self._fetch(address) if address.startswith(("http://", "https://")) else self._open(address)
            if len(text) > MOST_BYTES:
                raise UsageError(f"{self._said(address)} has {len(text):,} bytes; the most is {MOST_BYTES:,}.")
            self._files[address] = _parse(text, self._said(address))
        return self._files[address]

    def _open(self, address: str) -> bytes:
        try:
            path = Path(unquote(urlsplit(address).path)).resolve()  # without `..` and links
        except (OSError, RuntimeError) as error:  # the second: a loop of links, before Python 3.13
            raise UsageError(f"{self._said(address)} cannot be read: {error}.") from error
        if not self.is_remote and self._files and not path.is_relative_to(_folder(self.address)):
            raise UsageError(f"A $ref names {str(path)!r}, which is not in the folder of the document; move it there.")
        if self.is_remote:
            raise UsageError(f"A $ref names the file {str(path)!r}, but the document came from {self.address!r}.")
        try:
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error

    def _fetch(self, address: str) -> bytes:
        def stay(request: httpx2.Request) -> None:  # of each redirect, too
            if urlsplit(str(request.url)).netloc != urlsplit(self.address).netloc:
                raise UsageError(f"A $ref or redirect leads to {str(request.url)!r}, on another host; download both.")

        try:
            with httpx2.Client(timeout=_SECONDS, follow_redirects=True, event_hooks={"request": [stay]}) as client:
                answer = client.get(address).raise_for_status()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UsageError(f"{address!r} does not answer with a document: {error}.") from error
        return answer.content

    def _said(self, address: str) -> str:
        return repr(address if address.startswith("http") else str(_path(address)))


class DocumentNode:
    """A value of a document, with the file it stands in. Every access follows `$ref`."""

    def __init__(self, document: Document, value: Any, file: str, name: str = "", address: str = "") -> None:
        self._document, self._value, self._file = document, value, file
        self.name = name
        """How the document names what a `$ref` led to: "Pet" of "#/components/schemas/Pet"; "" if none led here."""
        self.address = address
        """Where a `$ref` led: the same for all that refer to one thing; "" if none led here."""

    def resolved(self) -> DocumentNode:
        """What this node refers to, through at most 20 references; errors: UsageError."""
        node = self
        for _ in range(_MOST_HOPS):
            reference = node._value.get("$ref") if isinstance(node._value, dict) else None
            if not isinstance(reference, str):
                return node
            whole = node._file + reference if reference.startswith("#") else urljoin(node._file, reference)
            node = self._document.follow(whole)
        raise UsageError(f"{self._value!r} refers to a reference that refers on, more than {_MOST_HOPS} times.")

    @property
    def value(self) -> Any:
        return self.resolved()._value

    def get(self, key: str) -> DocumentNode | None:
        """The value of a key, if this is an object that has it."""
        node = self.resolved()
        if not isinstance(node._value, dict) or node._value.get(key) is None:
            return None
        return DocumentNode(self._document, node._value[key], node._file)

    def text(self, key: str) -> str:
        """The text of a key on one line; "" if there is none."""
        found = self.get(key)
        return " ".join(found.value.split()) if found is not None and isinstance(found.value, str) else ""

    def flag(self, key: str) -> bool:
        found = self.get(key)
        return found is not None and found.value is True

    def items(self) -> Iterator[tuple[str, DocumentNode]]:
        """The keys and values of an object, in the document's order."""
        node = self.resolved()
        if isinstance(node._value, Mapping):
            for key, value in node._value.items():
                yield str(key), DocumentNode(self._document, value, node._file)

    def entries(self, key: str) -> list[DocumentNode]:
        """The entries of a list under a key."""
        found = self.get(key)
        node = found.resolved() if found is not None else None
        if node is None or not isinstance(node._value, list):
            return []
        return [DocumentNode(self._document, value, node._file) for value in node._value]


def _parse(text: bytes, said: str) -> Any:
    if not text.strip():
        raise UsageError(f"{said} is empty.")
    try:
        if text.lstrip()[:1] in (b"{", b"["):
            return json.loads(text)
        return yaml.load(text.decode("utf-8-sig"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except UnicodeDecodeError as error:
        raise UsageError(f"{said} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{said} is not valid JSON: {error.msg} in line {error.lineno}.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark is not None else ""
        raise UsageError(f"{said} is not valid YAML: {getattr(error, 'problem', None) or error}{where}.") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{said} cannot be read as JSON or YAML: {error}.") from error


def _path(address: str) -> Path:
    return Path(unquote(urlsplit(address).path))


def _folder(address: str) -> Path:
    return _path(address).parent
