"""What an OpenAPI document serves: which rows each operation is about, and what it takes and gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.twin.document import BadReference, Document, DocumentNode
from generator.twin.meanings import OpenOperation
from generator.twin.served import ENDLESS, Path, ServedOperation, Taken, row_of_list, take_served, unwrapped
from generator.twin.shapes import only, properties_of, type_of
from generator.twin.source import TwinSource, Verb
from runtime.errors import UsageError

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_PARAMETER = re.compile(r"\{([^{}]+)\}")


def read_openapi(document: Document, title: str = "", *, needs_tools: bool = True) -> TwinSource:
    """Read an OpenAPI 3.0 or 3.1 document; errors: UsageError.

    `needs_tools` is false where a model designs the tools, which may then be none of those that rules understand.
    """
    root = document.root
    said = document.address if document.is_remote else title
    version = str(root.value.get("openapi", "")) if isinstance(root.value, dict) else ""
    if isinstance(root.value, dict) and "swagger" in root.value:
        raise UsageError(
            f"{said!r} is Swagger {root.value['swagger']}; convert it to OpenAPI 3.0 or 3.1 first "
            "(editor.swagger.io: Edit, Convert to OpenAPI 3)."
        )
    if not version.startswith(("3.0", "3.1")):
        raise UsageError(f"{said!r} is not an OpenAPI 3.0 or 3.1 document: its 'openapi' is {version!r}.")
    info = root.get("info")
    name = info.text("title") if info is not None else ""
    source = TwinSource(name or title, f"{title} (OpenAPI {version})")
    calls = [*_calls(root)]
    if not calls:
        raise UsageError(f"{said!r} has no operations: its 'paths' are empty.")
    source.account.counts["operation"] = _count(root)
    served = [_served(call) for call in calls]
    rows = {each.resource: only(each.gives).address for each in served if each.gives is not None and each.verb}
    for call, each in zip(calls, served, strict=True):
        if not each.why and each.verb is None:
            try:
                _decide(call, each, rows, {other.method for other in calls if other.path == call.path})
            except OpenOperation as reason:
                each.why = str(reason)
    take_served(served, source, repr(said), by_name=False, needs=1 / len(served) if needs_tools else 0)
    _note_others(root, calls, source)
    return source


@dataclass
class _Call:
    """An operation of the document."""

    method: str
    path: str
    node: DocumentNode
    item: DocumentNode
    """The path's own entry, whose parameters all its operations have."""

    @property
    def said(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def segments(self) -> list[str]:
        """The parts of the path; `{id}:purge` are two, and the `.json` at the end says nothing."""
        path = re.sub(r"\.(json|xml)$", "", self.path.split("?")[0].split("#")[0])
        return [part for each in path.strip("/").split("/") for part in re.split(r"(?<=\})(?=:)", each) if part]

    @property
    def shape(self) -> Path:
        return tuple("{}" if _PARAMETER.fullmatch(each) else each for each in self.segments)

    def parameters(self) -> list[DocumentNode]:
        """The parameters, those of the path first; one that the operation states anew replaces the path's."""
        found = {}
        for each in [*self.item.entries("parameters"), *self.node.entries("parameters")]:
            found[each.text("name"), each.text("in")] = each.resolved()
        return list(found.values())

    def answer(self) -> DocumentNode | None:
        """The schema of the first successful JSON answer; None if it is empty. Errors: OpenOperation."""
        responses = self.node.get("responses")
        for status, response in responses.items() if responses is not None else ():
            if status.startswith("2") or status == "default":
                return _schema_in(response, "its answer is not JSON")
        return None

    def examples(self) -> Iterator[Any]:
        """The example answers of the document, as they stand."""
        responses = self.node.get("responses")
        for status, response in responses.items() if responses is not None else ():
            content = response.get("content") if status.startswith("2") else None
            for kind, media in content.items() if content is not None else ():
                single, several = media.get("example"), media.get("examples")
                if single is not None and "json" in kind:
                    yield single.value
                for _, example in several.items() if several is not None and "json" in kind else ():
                    if (value := example.get("value")) is not None:
                        yield value.value


def _calls(root: DocumentNode) -> Iterator[_Call]:
    paths = root.get("paths")
    for path, item in paths.items() if paths is not None else ():
        try:
            known = {key.lower(): node for key, node in item.items()}
        except BadReference:
            known = {}
        yield from (_Call(method, path, known[method], item) for method in _METHODS if method in known)


def _count(root: DocumentNode) -> int:
    """Count the operations a second time, by a plain walk."""
    found = 0
    for _, item in root.get("paths").items():  # type: ignore[union-attr]
        try:
            found += sum(str(key).lower() in _METHODS for key in item.value)
        except BadReference:
            continue
    return found


def _served(call: _Call) -> ServedOperation:
    """What an operation takes and gives; its verb, if that of a row or a list is plain."""
    served = ServedOperation(call.said, f"{call.method} {' '.join(call.segments)}")
    try:
        served.description = call.node.text("description") or call.node.text("summary")
        served.name = call.node.text("operationId") or served.name
        if call.method not in ("get", "post", "put", "patch", "delete"):
            raise OpenOperation("its method neither reads nor changes rows")
        if not call.segments or any("{" in each and not _PARAMETER.fullmatch(each) for each in call.segments):
            raise OpenOperation("its path does not say which rows it is about")
        served.body, answer = _body(call), call.answer()
        served.is_partial = call.method == "patch"
        served.examples = [*call.examples()]
        _place(call, served)
        _give(call, served, answer)
    except (OpenOperation, BadReference) as reason:
        served.why, served.gives = str(reason).rstrip("."), None
    except RecursionError:
        served.why, served.gives = ENDLESS, None
    return served


def _place(call: _Call, served: ServedOperation) -> None:
    """Say of each parameter what it names: the row, one to which the row belongs, or which rows are meant."""
    stated = {(each.text("name"), each.text("in")): each for each in call.parameters()}
    shape, is_of_row = call.shape, call.shape[-1] == "{}"
    last = len(shape) - 1 - shape[::-1].index("{}") if "{}" in shape else -1
    is_of_row = is_of_row or (last == len(shape) - 2 and call.method != "get")
    for at, segment in enumerate(call.segments):
        if shape[at] == "{}":
            name = segment[1:-1].split(":")[0].rstrip("*+?")
            node = stated.get((name, "path"))
            schema = node.get("schema") if node is not None else None
            place, words = "row" if at == last and is_of_row else "parent", _words(node)
            served.takes.append(Taken(name, place, schema, True, words, shape[:at]))  # type: ignore[arg-type]
    for (name, where), node in stated.items():
        if where == "query":
            served.takes.append(Taken(name, "query", node.get("schema"), node.flag("required"), _words(node)))


def _give(call: _Call, served: ServedOperation, answer: DocumentNode | None) -> None:
    """Say which rows an operation shows, lists or makes, if its answer has some."""
    shape = call.shape
    row: DocumentNode | None = None
    if call.method == "get" and shape[-1] == "{}" and len(shape) > 1:
        served.verb, served.resource = "get", shape[:-1]
        row = unwrapped(answer) if answer is not None else None
    elif call.method == "get":
        if answer is None:
            raise OpenOperation("the document does not say what it answers")
        row, served.verb, served.resource = row_of_list(answer, shape[-1]), "find", shape
        if row is None or not properties_of(row):
            inner = [type_of(each) for each in properties_of(answer).values()]
            is_object = inner and "array" not in inner and row is None
            raise OpenOperation(
                "it shows one object, which no key names" if is_object else "its answer is not a list of rows"
            )
    elif call.method == "post" and shape[-1] != "{}" and answer is not None:
        row, served.resource = unwrapped(answer), shape
    if call.method == "get" and served.body is not None:
        raise OpenOperation("it is a GET with a body")
    if row is not None and properties_of(only(row)):
        served.gives = row
        is_below_row = "{}" in shape[-2:-1]  # it may be an action, of which `_decide` decides
        served.verb = served.verb or (None if is_below_row else "create")


def _decide(call: _Call, served: ServedOperation, collections: Mapping[Path, str], methods: set[str]) -> None:
    """Say what an operation does that its own answer does not tell: change or delete a row, or lead to a state.

    `collections` are the paths where rows are, with the address of their schema.
    """
    shape, method, body = call.shape, call.method, served.body
    verbs: dict[str, Verb] = {"put": "update", "patch": "update", "delete": "delete", "get": "get"}
    of_row = len(shape) > 1 and shape[-2] == "{}"
    if shape[-1] == "{}":
        served.resource = shape[:-1]
        if served.resource not in collections:
            raise OpenOperation("no operation lists or shows what its path names")
        if method == "post" and {"put", "patch"} & methods:
            raise OpenOperation("it is a POST to one row, and the document does not say what it changes")
        served.verb = verbs.get(method, "update")
        served.is_partial = served.is_partial or method == "post"
        if served.verb == "update" and body is None:
            raise OpenOperation("it has no body that says what it changes")
        if served.verb == "delete" and body is not None and properties_of(body):
            raise OpenOperation("it is a DELETE with a body")
    elif method == "post" and (shape in collections or _is_made_below(served, shape, collections)):
        served.verb, served.resource = "create", shape
        served.takes = [replace(each, place="parent") if each.place == "row" else each for each in served.takes]
    elif method in ("put", "patch") and shape in collections and body is not None and not of_row:
        served.verb, served.resource = "update", shape
    elif method == "delete" and shape in collections:
        raise OpenOperation("it deletes all rows of a list")
    elif of_row and shape[:-2] in collections:
        served.gives = None
        served.verb, served.resource, served.action = "set", shape[:-2], shape[-1].lstrip(":")
        if method == "delete":
            served.is_undone, why = True, "it takes away a part of a row that no column holds"
            if body is not None or ":" in shape[-1]:
                raise OpenOperation(why)
    elif method == "delete":
        raise OpenOperation("it deletes something that is not a row")
    else:
        raise OpenOperation("its path leads to no table, so the document does not say what it changes")


def _is_made_below(served: ServedOperation, shape: Path, collections: Mapping[Path, str]) -> bool:
    """Whether a POST to /users/{id}/notes makes one of /notes, by the schema of its answer."""
    address = only(served.gives).address if served.gives is not None else ""
    return address != "" and any(address == known and path[-1] == shape[-1] for path, known in collections.items())


def _body(call: _Call) -> DocumentNode | None:
    """The schema of a JSON body, or of a form without files, which says the same; errors: OpenOperation."""
    body = call.node.get("requestBody")
    schema = None if body is None else _schema_in(body, "its body is not JSON or a form", *_FORMS)
    if schema is not None and any(
        map(_is_file, {**properties_of(schema), **properties_of(unwrapped(schema))}.values())
    ):
        raise OpenOperation("its body has files")
    return schema


def _is_file(schema: DocumentNode) -> bool:
    inner = only(schema)
    inner = (only(inner).get("items") or inner) if type_of(inner) == "array" else inner
    value = inner.value if isinstance(inner.value, dict) else {}
    return value.get("format") == "binary" or "contentMediaType" in value


def _schema_in(holder: DocumentNode, otherwise: str, *also: str) -> DocumentNode | None:
    content = holder.get("content")
    kinds = dict(content.items()) if content is not None else {}
    for wanted in ("json", "*/*", *also):
        for kind, media in kinds.items():
            if wanted in kind:
                return media.get("schema")
    if kinds:
        raise OpenOperation(f"{otherwise} ({', '.join(kinds)})")
    return None


def _words(node: DocumentNode | None) -> str:
    inner = node.get("schema") if node is not None else None
    return "" if node is None else (node.text("description") or (inner.text("description") if inner else ""))[:400]


def _note_others(root: DocumentNode, calls: Sequence[_Call], source: TwinSource) -> None:
    """Note what the document says beside tables and operations."""
    account = source.account
    account.remarks.append("Answers have the twin's form: no envelopes, status codes or headers of the document.")
    components = root.get("components")
    schemes = components.get("securitySchemes") if components is not None else None
    for name, _ in schemes.items() if schemes is not None else ():
        account.lose("statement", f"security {name!r}", "Security schemes, since tools take no credentials")
    webhooks = root.get("webhooks")
    for name, _ in webhooks.items() if webhooks is not None else ():
        account.lose("statement", f"webhook {name!r}", "Webhooks and callbacks")
    kept = {each.said: each.verb for each in source.operations}
    for call in calls:
        if call.said not in kept:
            continue
        if call.node.get("callbacks") is not None:
            account.lose("statement", f"callbacks of {call.said}", "Webhooks and callbacks")
        if call.method == "put" and kept[call.said] == "update":
            account.change(
                "parameter", f"{call.said}: its body", "Bodies that replace a row; what they omit stays as it is"
            )
        for each in call.parameters():
            if each.text("in") in ("header", "cookie"):
                account.lose("parameter", f"{call.said}: {each.text('name')}", "Headers and cookies")
