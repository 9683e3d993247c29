"""How a JSON or YAML document is read: one file or many, `$ref` followed only where somebody looks, never expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import httpx2
import yaml

from runtime.errors import UsageError

MOST_BYTES = 20_000_000
_MOST_HOPS = 20  # of references that refer to references
SCALARS = ("string", "integer", "number", "boolean")
_DEEPEST = 6  # levels of allOf and oneOf
_SECONDS = 20.0


class BadReference(UsageError):
    """A `$ref` that leads nowhere, or where it may not; what uses it stays open."""


class WrittenNumber(float):
    """A number with the digits of its document: 1.10 is a text where a schema says `type: string`."""

    def __init__(self, text: str) -> None:
        self.text = text


class Document:
    """The files of a document by address, each read once.

    Files are read only from the folder of the first one, and addresses only from its host: a document cannot pull in
    what its reader did not name.
    """

    def __init__(self, source: str, value: Any = None) -> None:
        """Read the first file, by path or http(s) address; errors: UsageError.

        With a `value`, such as a tool's schema, it is already there, and can refer only to itself.
        """
        self.is_remote = value is not None or source.startswith(("http://", "https://"))
        self.address = source if self.is_remote else Path(source).resolve().as_uri()
        self._files: dict[str, Any] = {} if value is None else {self.address: value}
        self.root = DocumentNode(self, self._load(self.address), self.address)

    def follow(self, address: str) -> DocumentNode:
        """Return the node that a whole address with its fragment names; errors: BadReference."""
        file, _, pointer = address.partition("#")
        parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in pointer.split("/") if part]
        value = self._load(file)
        for part in parts:
            try:
                value = value[int(part)] if isinstance(value, list) else value[part]
            except (KeyError, IndexError, ValueError, TypeError):
                raise BadReference(f"{_said(file)} has nothing at {'#' + pointer!r}, which a $ref names.") from None
        return DocumentNode(self, value, file, parts[-1] if parts else _path(file).name.split(".")[0], address)

    def _load(self, address: str) -> Any:
        if address not in self._files:
            try:
                text = self._fetch(address) if address.startswith(("http://", "https://")) else self._open(address)
                if len(text) > MOST_BYTES:
                    raise UsageError(f"{_said(address)} has {len(text):,} bytes; the most is {MOST_BYTES:,}.")
                self._files[address] = _parse(text, _said(address))
            except UsageError as error:
                raise BadReference(str(error)) if self._files else error from None
        return self._files[address]

    def _open(self, address: str) -> bytes:
        path = _path(address)
        try:
            path = path.resolve()  # without `..` and links
            if self.is_remote or self._files and not path.is_relative_to(_path(self.address).parent):
                where = f"at {self.address!r}" if self.is_remote else "in the folder of the document; move it there"
                raise UsageError(f"A $ref names the file {str(path)!r}, which is not {where}.")
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except (OSError, RuntimeError) as error:  # the second: a loop of links, before Python 3.13
            raise UsageError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', error)}.") from error

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


class DocumentNode:
    """A value of a document, or nothing (which is false), with the file it stands in. Every access follows `$ref`."""

    def __init__(self, document: Document, value: Any, file: str, name: str = "", address: str = "") -> None:
        self._document, self._value, self._file = document, value, file
        self.name = name
        """How the document names what a `$ref` led to: "Pet" of "#/components/schemas/Pet"; "" if none led here."""
        self.address = address
        """Where a `$ref` led: the same for all that refer to one thing; "" if none led here."""

    def __bool__(self) -> bool:
        return self._value is not None

    def resolved(self) -> DocumentNode:
        """Return what this node refers to, through at most 20 references; errors: BadReference."""
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

    @property
    def fields(self) -> dict[str, Any]:
        """The value of an object; {} of anything else."""
        value = self.value
        return value if isinstance(value, dict) else {}

    def get(self, key: str) -> DocumentNode:
        """Return the value of a key; nothing if there is none."""
        node = self.resolved()
        value = node._value.get(key) if isinstance(node._value, dict) else None
        return DocumentNode(self._document, value, node._file)

    def text(self, key: str) -> str:
        """Return the text of a key on one line; "" if there is none."""
        value = self.get(key).value
        return " ".join(value.split()) if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        return self.get(key).value is True

    def items(self) -> list[tuple[str, DocumentNode]]:
        """Return the keys and values of an object, in the document's order."""
        node = self.resolved()
        return [(str(key), DocumentNode(self._document, value, node._file)) for key, value in node.fields.items()]

    def entries(self, key: str) -> list[DocumentNode]:
        """Return the entries of a list under a key."""
        node = self.get(key).resolved()
        values = node._value if isinstance(node._value, list) else []
        return [DocumentNode(self._document, value, node._file) for value in values]

    @property
    def type(self) -> str:
        """Of a schema: object, array, string, integer, number, boolean, union or any; null beside another is none."""
        fields = self.fields
        stated = fields.get("type")
        if isinstance(stated, list):
            others = [each for each in stated if each != "null"]
            stated = others[0] if len(others) == 1 else "union" if others else None
        if isinstance(stated, str):
            return stated
        if "properties" in fields or "allOf" in fields:
            parts = self.entries("allOf")
            return parts[0].type if len(parts) == 1 and "properties" not in fields else "object"
        if "items" in fields:
            return "array"
        if alternatives := self._alternatives():
            return alternatives[0].type if len(alternatives) == 1 else "union"
        return "string" if self.choices and all(isinstance(each, str) for each in self.choices) else "any"

    @property
    def known_type(self) -> str:
        """The type of a schema; "" if its `$ref` leads nowhere."""
        try:
            return self.type
        except BadReference:
            return ""

    @property
    def is_scalar(self) -> bool:
        return self.type in SCALARS

    @property
    def is_nullable(self) -> bool:
        stated, nulls = self.fields.get("type"), [*filter(_is_null, self.entries("oneOf") + self.entries("anyOf"))]
        return self.flag("nullable") or isinstance(stated, list) and "null" in stated or bool(nulls)

    @property
    def choices(self) -> list[Any]:
        """The values of an enum or a constant."""
        return self.fields.get("enum") or ([self.fields["const"]] if "const" in self.fields else [])

    @property
    def properties(self) -> dict[str, DocumentNode]:
        """The properties of an object, those of allOf and of a single alternative included; {} if it is none."""
        return {name: node for part in self._parts() for name, node in part.get("properties").items()}

    @property
    def required(self) -> set[str]:
        """The names of the properties that must be there."""
        return {str(each.value) for part in self._parts() for each in part.entries("required")}

    def only(self) -> DocumentNode:
        """Return the one alternative of a schema beside null, or the schema itself."""
        alternatives = self._alternatives() or self.entries("allOf")
        has_own = "properties" in self.fields or "enum" in self.fields
        return alternatives[0].only() if len(alternatives) == 1 and not has_own else self.resolved()

    def _parts(self, depth: int = 0) -> Iterator[DocumentNode]:
        """Return the schemas that describe an object together, its own last."""
        if depth <= _DEEPEST:
            alternatives = self._alternatives()
            for part in self.entries("allOf") + (alternatives if len(alternatives) == 1 else []):
                yield from part._parts(depth + 1)
            yield self

    def _alternatives(self) -> list[DocumentNode]:
        return [each for each in self.entries("oneOf") + self.entries("anyOf") if not _is_null(each)]


def _is_null(schema: DocumentNode) -> bool:
    return bool(schema.fields.get("type") == "null")


def as_written(value: Any) -> str:
    """Return a scalar as the document has it: true, 1.10."""
    return json.dumps(value) if isinstance(value, bool) or value is None else str(getattr(value, "text", value))


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML 1.2 as OpenAPI asks for it: no, on, 010 and dates are texts, and keys are as they are written."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        self.flatten_mapping(node)
        for key, _ in node.value:
            key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)  # type: ignore[no-any-return]


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
    is_json = text.lstrip()[:1] in (b"{", b"[")
    try:
        return json.loads(text, parse_float=WrittenNumber) if is_json else yaml.load(text.decode("utf-8-sig"), _Loader)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise UsageError(f"{said} is not valid {'JSON' if is_json else 'YAML'}: {why}.") from error


def _path(address: str) -> Path:
    return Path(unquote(urlsplit(address).path))


def _said(address: str) -> str:
    return repr(address if address.startswith("http") else str(_path(address)))


NOTHING = Document("", {}).root.get("")
