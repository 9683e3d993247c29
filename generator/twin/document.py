"""How a JSON or YAML document is read: one file or many, `$ref` followed only where somebody looks, never expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx2
import yaml

from runtime.errors import UsageError

MOST_BYTES = 20_000_000
_MOST_HOPS = 20  # of references that refer to references
_SECONDS = 20.0


class BadReference(UsageError):
    """A `$ref` that leads nowhere, or where it may not; what uses it stays open."""


class WrittenNumber(float):
    """A number with the digits of its document: 1.10 is a text where a schema says `type: string`."""

    def __new__(cls, text: str) -> WrittenNumber:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


class Document:
    """The files of a document by address, each read once.

    Files are read only from the folder of the first one, and addresses only from its host: a document cannot pull in
    what its reader did not name.
    """

    def __init__(self, source: str) -> None:
        """Read the first file. `source` is a path or an http(s) address; errors: UsageError."""
        self._files: dict[str, Any] = {}
        self._anchors: dict[str, dict[str, Any]] = {}
        self.is_remote = source.startswith(("http://", "https://"))
        self.address = source if self.is_remote else Path(source).resolve().as_uri()
        self.root = DocumentNode(self, self._load(self.address), self.address, "")

    @classmethod
    def of(cls, value: Any, name: str) -> Document:
        """A document that is already there, such as a tool's schema; it can only refer to itself."""
        document = cls.__new__(cls)
        document.is_remote, document.address = False, f"memory:/{quote(name)}"
        document._files, document._anchors = {document.address: value}, {}
        document.root = DocumentNode(document, value, document.address)
        return document

    def follow(self, address: str) -> DocumentNode:
        """The node that a whole address with its fragment names; errors: BadReference."""
        file, _, pointer = address.partition("#")
        named = self._named(address)
        if named is not None:
            return DocumentNode(self, named[1], named[0], pointer or Path(urlsplit(file).path).name, address)
        value = self._load(file)
        parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in pointer.strip("/").split("/") if part]
        for part in parts:
            try:
                value = value[int(part)] if isinstance(value, list) else value[part]
            except (KeyError, IndexError, ValueError, TypeError):
                raise BadReference(
                    f"{self._said(file)} has nothing at {'#' + pointer!r}, which a $ref names."
                ) from None
        name = parts[-1] if parts else Path(urlsplit(file).path).name.split(".")[0]
        return DocumentNode(self, value, file, name, address)

    def _named(self, address: str) -> tuple[str, Any] | None:
        """What an `$anchor`, `$dynamicAnchor` or `$id` of a file that is already read names, with that file."""
        file, _, anchor = address.partition("#")
        if anchor.startswith("/") or (file in self._files and not anchor):
            return None
        for known, value in self._files.items():
            if known not in self._anchors:
                self._anchors[known] = dict(_anchors_in(value, known, known))
            if address in self._anchors[known]:
                return known, self._anchors[known][address]
        return None

    def _load(self, address: str) -> Any:
        if address not in self._files:
            try:
                text = self._fetch(address) if address.startswith(("http://", "https://")) else self._open(address)
                if len(text) > MOST_BYTES:
                    raise UsageError(f"{self._said(address)} has {len(text):,} bytes; the most is {MOST_BYTES:,}.")
                self._files[address] = _parse(text, self._said(address))
            except UsageError as error:
                raise BadReference(str(error)) if self._files else error from None
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
        """What this node refers to, through at most 20 references; errors: BadReference."""
        node = self
        for _ in range(_MOST_HOPS):
            reference = node._value.get("$ref") if isinstance(node._value, dict) else None
            if not isinstance(reference, str):
                return node
            whole = node._file + reference if reference.startswith("#") else urljoin(node._file, reference)
            node = self._document.follow(whole)
        raise BadReference(f"{self._value!r} refers to a reference that refers on, more than {_MOST_HOPS} times.")

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


def as_written(value: Any) -> str:
    """A scalar as the document has it: true, 1.10."""
    return json.dumps(value) if isinstance(value, bool) or value is None else str(getattr(value, "text", value))


def _anchors_in(value: Any, base: str, file: str) -> Iterator[tuple[str, Any]]:
    """All that is named in a file, by whole address: an `$id` is the base of what stands in it."""
    if isinstance(value, dict):
        if isinstance(name := value.get("$id"), str):
            base = urljoin(base, name).rstrip("#")
            yield base, value
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := value.get(key), str):
                yield from ((f"{base}#{name}", value), (f"{file}#{name}", value))
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _anchors_in(each, base, file)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML 1.2 as OpenAPI asks for it: no, on, 010 and dates are texts, and keys are as they are written."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        self.flatten_mapping(node)
        return {
            key.value if isinstance(key, yaml.ScalarNode) else str(self.construct_object(key, deep=True)): (
                self.construct_object(value, deep=deep)
            )
            for key, value in node.value
        }


for _tag, _form, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", "null|Null|NULL|~|", ["n", "N", "~", ""]),
    ("int", "-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
    ("merge", "<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_form})$"), list(_first))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: WrittenNumber(loader.construct_scalar(node)))


def _parse(text: bytes, said: str) -> Any:
    if not text.strip():
        raise UsageError(f"{said} is empty.")
    try:
        if text.lstrip()[:1] in (b"{", b"["):
            return json.loads(text, parse_float=WrittenNumber)
        return yaml.load(text.decode("utf-8-sig"), _Loader)
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
