"""What an OpenAPI document serves: which rows each operation is about, and what it takes and gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from generator.twin.document import NOTHING, BadReference, Document, DocumentNode
from generator.twin.served import NO_TABLE, Path, ServedOperation, Taken, row_of_list, take_served, unwrapped
from generator.twin.shapes import OpenOperation, reason
from generator.twin.source import TwinSource, Verb
from runtime.errors import UsageError

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_VERBS: dict[str, Verb] = {"put": "update", "patch": "update", "post": "update", "delete": "delete", "get": "get"}
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_PARAMETER = re.compile(r"\{([^{}]+)\}")


def read_openapi(document: Document, title: str = "", *, needs_tools: bool = True) -> TwinSource:
    """Read an OpenAPI 3.0 or 3.1 document; errors: UsageError.

    `needs_tools` is false where a model designs the tools, which may then be none of those that rules understand.
    """
    root = document.root
    said = document.address if document.is_remote else title
    version = str(root.fields.get("openapi", ""))
    if "swagger" in root.fields:
        raise UsageError(
            f"{said!r} is Swagger {root.fields['swagger']}; convert it to OpenAPI 3.0 or 3.1 first "
            "(editor.swagger.io: Edit, Convert to OpenAPI 3)."
        )
    if not version.startswith(("3.0", "3.1")):
        raise UsageError(f"{said!r} is not an OpenAPI 3.0 or 3.1 document: its 'openapi' is {version!r}.")
    calls = [
        _Call(method, path, known[method], item)
        for path, item in root.get("paths").items()
        for known in [{key.lower(): node for key, node in _items(item)}]
        for method in _METHODS
        if method in known
    ]
    if not calls:
        raise UsageError(f"{said!r} has no operations: its 'paths' are empty.")
    source = TwinSource(root.get("info").text("title") or title, f"{title} (OpenAPI {version})")
    source.account.counts["operation"] = sum(  # a second time, by a plain walk
        str(key).lower() in _METHODS for _, item in root.get("paths").items() for key, _ in _items(item)
    )
    served = [call.read() for call in calls]
    collections = {each.resource for each in served if each.gives and each.verb}
    for call, each in zip(calls, served, strict=True):
        if not each.why and each.verb is None:
            try:
                call.decide(collections, {other.method for other in calls if other.path == call.path})
            except OpenOperation as error:
                each.why = reason(error)
    take_served(served, source, repr(said), by_name=False, needs=1 / len(served) if needs_tools else 0)
    _note_others(root, calls, source)
    return source


class _Call:
    """An operation of the document."""

    def __init__(self, method: str, path: str, node: DocumentNode, item: DocumentNode) -> None:
        """`item` is the path's own entry, whose parameters all its operations have."""
        self.method, self.path, self.node, self._item = method, path, node, item
        plain = re.sub(r"\.(json|xml)$", "", path.split("?")[0].split("#")[0])
        self._segments = [part for each in plain.split("/") for part in re.split(r"(?<=\})(?=:)", each) if part]
        self._shape = tuple("{}" if _PARAMETER.fullmatch(each) else each for each in self._segments)
        self.served = ServedOperation(f"{method.upper()} {path}", f"{method} {' '.join(self._segments)}")

    def read(self) -> ServedOperation:
        """Read what an operation takes and gives; its verb, if that of a row or a list is plain."""
        served = self.served
        try:
            served.description = self.node.text("description") or self.node.text("summary")
            served.name = self.node.text("operationId") or served.name
            if self.method not in _VERBS:
                raise OpenOperation("its method neither reads nor changes rows")
            if not self._segments or any("{" in each for each in self._shape if each != "{}"):
                raise OpenOperation("its path does not say which rows it is about")
            served.body, served.is_partial = self._body(), self.method == "patch"
            answers = self.node.get("responses").items()
            good = [answer for status, answer in answers if status.startswith("2") or status == "default"]
            answer = _schema_in(good[0], "its answer is not JSON") if good else NOTHING
            served.examples = [*_examples([answer for status, answer in answers if status.startswith("2")])]
            self._place()
            self._give(answer)
        except (OpenOperation, BadReference, RecursionError) as error:
            served.why, served.gives = reason(error), NOTHING
        return served

    def parameters(self) -> dict[tuple[str, str], DocumentNode]:
        """Return the parameters by name and place; one that the operation states anew replaces the path's."""
        stated = [*self._item.entries("parameters"), *self.node.entries("parameters")]
        return {(each.text("name"), each.text("in")): each.resolved() for each in stated}

    def _body(self) -> DocumentNode:
        """Return the schema of a JSON body, or of a form without files, which says the same; errors: OpenOperation."""
        schema = _schema_in(self.node.get("requestBody"), "its body is not JSON or a form", *_FORMS)
        for each in (*schema.properties.values(), *unwrapped(schema).properties.values()):
            inner = each.only()
            inner = (inner.only().get("items") or inner).resolved() if inner.type == "array" else inner
            if inner.fields.get("format") == "binary" or "contentMediaType" in inner.fields:
                raise OpenOperation("its body has files")
        return schema

    def _place(self) -> None:
        """Say of each parameter what it names: the row, one to which the row belongs, or which rows are meant."""
        stated, shape = self.parameters(), self._shape
        last = len(shape) - 1 - shape[::-1].index("{}") if "{}" in shape else -1
        is_of_row = last == len(shape) - 1 or last == len(shape) - 2 and self.method != "get"
        for at, segment in enumerate(self._segments):
            if shape[at] == "{}":
                name = segment[1:-1].split(":")[0].rstrip("*+?")
                node = stated.get((name, "path"), NOTHING)
                place = "row" if at == last and is_of_row else "parent"
                taken = Taken(name, place, node.get("schema"), True, _words(node), shape[:at])  # type: ignore[arg-type]
                self.served.takes.append(taken)
        for (name, where), node in stated.items():
            if where == "query":
                taken = Taken(name, "query", node.get("schema"), node.flag("required"), _words(node))
                self.served.takes.append(taken)

    def _give(self, answer: DocumentNode) -> None:
        """Say which rows an operation shows, lists or makes, if its answer has some."""
        shape, served, row = self._shape, self.served, NOTHING
        if self.method == "get" and shape[-1] == "{}" and len(shape) > 1:
            row, served.verb, served.resource = unwrapped(answer), "get", shape[:-1]
        elif self.method == "get":
            if not answer:
                raise OpenOperation("the document does not say what it answers")
            row, served.verb, served.resource = row_of_list(answer, shape[-1]), "find", shape
            if not row.properties:
                inner = [each.type for each in answer.properties.values()]
                is_object = inner and "array" not in inner and not row
                raise OpenOperation(
                    "it shows one object, which no key names" if is_object else "its answer is not a list of rows"
                )
        elif self.method == "post" and shape[-1] != "{}":
            row, served.resource = unwrapped(answer), shape
        if self.method == "get" and served.body:
            raise OpenOperation("it is a GET with a body")
        if row.only().properties:
            served.gives = row
            is_below_row = "{}" in shape[-2:-1]  # it may be an action, of which `decide` decides
            served.verb = served.verb or (None if is_below_row else "create")

    def decide(self, collections: set[Path], methods: set[str]) -> None:
        """Say what an operation does that its own answer does not tell, given where rows are; errors: OpenOperation."""
        shape, method, served = self._shape, self.method, self.served
        of_row = len(shape) > 1 and shape[-2] == "{}"
        if shape[-1] == "{}":
            served.resource, served.verb = shape[:-1], _VERBS[method]
            served.is_partial = served.is_partial or method == "post"
            if served.resource not in collections:
                raise OpenOperation("no operation lists or shows what its path names")
            if method == "post" and {"put", "patch"} & methods:
                raise OpenOperation("it is a POST to one row, and the document does not say what it changes")
            if served.verb == "update" and not served.body:
                raise OpenOperation("it has no body that says what it changes")
            if served.verb == "delete" and served.body.properties:
                raise OpenOperation("it is a DELETE with a body")
        elif method == "post" and shape in collections:
            served.verb, served.resource = "create", shape
            served.takes = [replace(each, place="parent") if each.place == "row" else each for each in served.takes]
        elif method in ("put", "patch") and shape in collections and served.body and not of_row:
            served.verb, served.resource = "update", shape
        elif method == "delete" and shape in collections:
            raise OpenOperation("it deletes all rows of a list")
        elif method == "delete":
            is_part = of_row and shape[:-2] in collections
            what = "a part or a state of a row, not the row" if is_part else "something that is not a row"
            raise OpenOperation(f"it deletes {what}")
        elif of_row and shape[:-2] in collections:
            served.verb, served.resource, served.action = "set", shape[:-2], shape[-1].lstrip(":")
            served.gives = NOTHING
        else:
            raise OpenOperation(NO_TABLE)


def _items(item: DocumentNode) -> list[tuple[str, DocumentNode]]:
    """Return the methods of a path; none if its `$ref` leads nowhere."""
    try:
        return item.items()
    except BadReference:
        return []


def _examples(answers: Sequence[DocumentNode]) -> Iterator[Any]:
    """Return the example answers of the document, as they are written."""
    for answer in answers:
        for kind, media in answer.get("content").items():
            for example in (media.get("example"), *(each.get("value") for _, each in media.get("examples").items())):
                if example and "json" in kind:
                    yield example.value


def _schema_in(holder: DocumentNode, otherwise: str, *also: str) -> DocumentNode:
    kinds = dict(holder.get("content").items())
    for wanted in ("json", "*/*", *also):
        for kind, media in kinds.items():
            if wanted in kind:
                return media.get("schema")
    if kinds:
        raise OpenOperation(f"{otherwise} ({', '.join(kinds)})")
    return NOTHING


def _words(node: DocumentNode) -> str:
    return (node.text("description") or node.get("schema").text("description"))[:400]


def _note_others(root: DocumentNode, calls: Sequence[_Call], source: TwinSource) -> None:
    """Note what the document says beside tables and operations."""
    account = source.account
    account.remarks.append("Answers have the twin's form: no envelopes, status codes or headers of the document.")
    for name, _ in root.get("components").get("securitySchemes").items():
        account.lose("statement", f"security {name!r}", "Security schemes, since tools take no credentials")
    for name, _ in root.get("webhooks").items():
        account.lose("statement", f"webhook {name!r}", "Webhooks and callbacks")
    kept = {each.said: each.verb for each in source.operations}
    for call in [each for each in calls if each.served.said in kept]:
        said = call.served.said
        if call.node.get("callbacks"):
            account.lose("statement", f"callbacks of {said}", "Webhooks and callbacks")
        if call.method == "put" and kept[said] == "update":
            account.change("parameter", f"{said}: its body", "Bodies that replace a row; what they omit stays as it is")
        for name, where in call.parameters():
            if where in ("header", "cookie"):
                account.lose("parameter", f"{said}: {name}", "Headers and cookies")
