"""What is read from an OpenAPI document: tables, operations, what stays open, and bad input."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from generator.twin.document import Document
from generator.twin.openapi import read_openapi
from generator.twin.source import TwinSource
from runtime.errors import UsageError

DOCUMENTS = Path(__file__).parent / "documents"


def _read(name: str) -> TwinSource:
    return read_openapi(Document(str(DOCUMENTS / name)), Path(name).name)


def _operations(source: TwinSource) -> dict[str, tuple[str, str, list[tuple[str, str, str | None]], dict[str, Any]]]:
    return {
        each.name: (each.verb, each.table, [(p.name, p.role, p.column) for p in each.parameters], dict(each.constants))
        for each in source.operations
    }


def _document(tmp_path: Path, paths: dict[str, Any], **more: Any) -> Path:
    path = tmp_path / "api.json"
    path.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths} | more))
    return path


@pytest.mark.parametrize(
    ("name", "kept", "opened"),
    [("pet_shop.yaml", 16, 3), ("rental/openapi.yaml", 16, 1), ("issue_tracker.json", 32, 3)],
)
def test_operations_with_a_meaning_are_kept_and_the_rest_is_listed(name: str, kept: int, opened: int) -> None:
    source = _read(name)
    assert (len(source.operations), len(source.opened)) == (kept, opened)
    assert [*source.account.differences()] == []
    assert source.is_interface


def test_a_cyclic_schema_becomes_a_key_and_parameters_are_kept() -> None:
    source = _read("pet_shop.yaml")
    assert ("parent_id",) in [reference.columns for reference in source.tables["category"].references]
    operations = _operations(source)
    assert operations["reserve_pet"] == ("set", "pet", [("petId", "key", "id")], {"status": "reserved"})
    assert operations["list_pets"][2][2:] == [
        ("min_price", "least", "price"),
        ("max_price", "most", "price"),
        ("limit", "limit", None),
        ("offset", "offset", None),
    ]
    assert source.tables["pet"].rows[0]["name"] == "Biscuit"


def test_rows_below_a_path_belong_to_its_row() -> None:
    source = _read("pet_shop.yaml")
    order = source.tables["order"]
    assert [(each.columns, each.table) for each in order.references] == [
        (("pet_id",), "pet"),
        (("customerId",), "customer"),
    ]
    assert _operations(source)["place_order"][2][0] == ("customerId", "value", "customerId")
    assert _operations(source)["cancel_order"][2] == [("orderId", "key", "id"), ("customerId", "key", "customerId")]


def test_references_lead_to_other_files() -> None:
    source = _read("rental/openapi.yaml")
    assert {name: table.key for name, table in source.tables.items()} == {
        "tool": ("code",),
        "member": ("id",),
        "rental": ("id",),
    }
    assert source.tables["tool"].columns["daily_rate"].decimals == 2
    assert source.tables["tool"].checks == ['"daily_rate" > 0']
    assert source.tables["member"].columns["status"].default == "active"
    assert len(source.tables["tool"].rows) == 3


def test_actions_lead_to_the_states_that_schemas_name() -> None:
    operations = _operations(_read("issue_tracker.json"))
    assert operations["issues_reopen"][3] == {"state": "open"}
    assert operations["users_deactivate"][3] == {"active": False}
    assert operations["issues_unlock"][3] == {"locked": False}
    assert operations["issues_assign"][2] == [("number", "key", "number"), ("login", "value", "assignee_login")]


def test_an_action_whose_state_no_column_names_stays_open() -> None:
    assert (
        _read("issue_tracker.json").opened["POST /issues/{number}/merge"]
        == "it gives a value that no column holds (into)"
    )


def test_what_the_twin_lacks_is_listed() -> None:
    facts = _read("pet_shop.yaml").account.facts
    assert facts["statement", "security 'key'"].fate == "lost"
    assert facts["check", "customer.phone"].why == "Conditions that are not checked (pattern)"
    assert facts["parameter", "GET /pets: sort"].why == "Parameters that no tool takes"
    assert facts["operation", "GET /pets"].fate == "kept"
    assert facts["operation", "PUT /pets/{petId}/photo"].fate == "lost"


def _content(schema: Any, kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def _object(required: str = "", **properties: Any) -> dict[str, Any]:
    """A schema whose properties are told by type, such as `id="integer"`."""
    told = {name: {"type": each} if isinstance(each, str) else each for name, each in properties.items()}
    return {"type": "object", "required": required.split(), "properties": told}


def _of(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": _of(name)}


def _call(gives: Any = None, body: Any = None, kind: str = "application/json", **query: Any) -> dict[str, Any]:
    call: dict[str, Any] = {"responses": {"200": _content(gives) if gives is not None else {}}}
    call["parameters"] = [{"name": name, "in": "query", **each} for name, each in query.items()]
    return call | ({} if body is None else {"requestBody": _content(body, kind)})


def _by_path(**types: str) -> dict[str, Any]:
    return {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": kind}} for name, kind in types.items()
        ]
    }


def _told(source: TwinSource) -> dict[str, str]:
    """The operations in short: "get user: username/key/username"."""
    return {
        each.said: f"{each.verb} {each.table}: "
        + " ".join(f"{p.name}/{p.role}/{p.column}" + "?" * (not p.required) for p in each.parameters)
        for each in source.operations
    }


ITEM = _object("id", id="string", name="string", state={"type": "string", "enum": ["open", "archived"]})
USER = _object("id", id="integer", username="string", email="string")
TEAM = _object("id name", id="string", name="string")
ROOM = _object("name", name="string", seats="integer")
FILE = _object(picture={"type": "string", "format": "binary"}, name="string")
ITEMS = {"/items": {"get": _call(_list("Item"))}}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = {
    "an object beside its id is one column": (
        {
            "/teams": {"get": _call(_list("Team"))},
            "/items": {
                "get": _call(_list("Box")),
                "post": _call(_of("Box"), _object("name teamId", name="string", teamId="string")),
            },
            "/items/{id}/move": {"post": _call(_of("Box"), _object("teamId", teamId="string"))},
        },
        {"Team": TEAM, "Box": _object("id teamId", id="string", name="string", teamId="string", team=_of("Team"))},
        {"POST /items": "create box: name/value/name teamId/value/teamId"},
    ),
    "an object of scalars beside its id is one column": (
        {"/items": {"post": _call(_of("Item"), _object("team_id", team_id="string")), "get": _call(_list("Item"))}},
        {"Item": _object("id", id="integer", team={**TEAM, "required": []}, team_id="string")},
        {"POST /items": "create item: team_id/value/team_id"},
    ),
    "a path parameter finds the row by its column": (
        {
            "/user/{username}": {
                "get": _call(_of("User")),
                "delete": _call(),
                "put": _call(None, _of("User")),
                **_by_path(username="string"),
            }
        },
        {"User": USER},
        {
            "GET /user/{username}": "get user: username/key/username",
            "DELETE /user/{username}": "delete user: username/key/username",
            "PUT /user/{username}": "update user: username/key/username email/value/email?",
        },
    ),
    "a path parameter of another type than the key is left open": (
        {
            "/users": {"get": _call(_list("User"))},
            "/users/{userId}": {"get": _call(_of("User")), **_by_path(userId="string")},
        },
        {"User": USER},
        {"GET /users/{userId}": "it finds a row by a value of another type than the rows hold (userId)"},
    ),
    "a path parameter that is no column is left open": (
        {
            "/users": {"get": _call(_list("User"))},
            "/users/{nick}": {"get": _call(_of("User")), **_by_path(nick="string")},
        },
        {"User": USER},
        {"GET /users/{nick}": "it finds a row by a value that no column holds (nick)"},
    ),
    "rows in two envelopes": (
        {
            "/users": {"get": _call(_object(data=_object(results=_list("User"), total="integer")))},
            "/users/{id}": {"get": _call(_object(data=_of("User"))), **_by_path(id="integer")},
        },
        {"User": USER},
        {"GET /users": "find user: ", "GET /users/{id}": "get user: id/key/id"},
    ),
    "rows in three envelopes beside another list": (
        {
            "/users": {
                "get": _call(
                    _object(ok="boolean", body=_object(page=_object(users=_list("User"), errors=_list("Oops"))))
                )
            }
        },
        {"User": USER, "Oops": _object(text="string")},
        {"GET /users": "find user: "},
    ),
    "a row with words about it": (
        {
            "/items": {
                "get": _call(_list("Item")),
                "post": _call(_object(ok="boolean", item=_of("Item")), _object("name", name="string")),
            },
        },
        {"Item": ITEM},
        {"POST /items": "create item: name/value/name"},
    ),
    "a form is read as JSON is": (
        {"/rooms": {"get": _call(_list("Room")), "post": _call(None, ROOM, "application/x-www-form-urlencoded")}},
        {"Room": ROOM},
        {"POST /rooms": "create room: name/value/name seats/value/seats?"},
    ),
    "a form of parts without files is read as JSON is": (
        {"/rooms": {"get": _call(_list("Room")), "post": _call(None, ROOM, "multipart/form-data")}},
        {"Room": ROOM},
        {"POST /rooms": "create room: name/value/name seats/value/seats?"},
    ),
    "a form with files stays open": (
        {"/rooms": {"get": _call(_list("Room")), "post": _call(None, FILE, "multipart/form-data")}},
        {"Room": ROOM},
        {"POST /rooms": "its body has files"},
    ),
    "a POST to a row that has no PATCH changes it": (
        {
            "/items": ITEMS["/items"],
            "/items/{id}": {
                "post": _call(_of("Item"), ITEM, "application/x-www-form-urlencoded"),
                **_by_path(id="string"),
            },
        },
        {"Item": ITEM},
        {"POST /items/{id}": "update item: id/key/id name/value/name? state/value/state?"},
    ),
    "a required value that is never shown is kept": (
        {
            "/users": {
                "get": _call(_list("User")),
                "post": _call(_of("User"), _object("email password", email="string", password="string")),
            }
        },
        {"User": USER},
        {"POST /users": "create user: email/value/email password/value/password"},
    ),
    "a required list that no row holds is not": (
        {
            "/users": {
                "get": _call(_list("User")),
                "post": _call(_of("User"), _object("roles", email="string", roles=_list("Team"))),
            }
        },
        {"User": USER, "Team": TEAM},
        {"POST /users": "it gives a value that no column holds (roles)"},
    ),
    "a verb behind a colon is no row": (
        ITEMS
        | {
            "/items/{id}:history": {
                "get": _call({"type": "array", "items": {"type": "string"}}),
                **_by_path(id="string"),
            },
            "/items/{id}:purge": {"delete": _call(), **_by_path(id="string")},
            "/items/{id}:archive": {"post": _call(), **_by_path(id="string")},
            "/items:import": {"post": _call()},
            "/items/{a}-{b}": {"get": _call(_of("Item")), **_by_path(a="string", b="string")},
        },
        {"Item": ITEM},
        {
            "GET /items/{id}:history": "its answer is not a list of rows",
            "DELETE /items/{id}:purge": "it deletes a part or a state of a row, not the row",
            "POST /items/{id}:archive": "set item: id/key/id",
            "POST /items:import": "its path leads to no table, so the document does not say what it changes",
            "GET /items/{a}-{b}": "its path does not say which rows it is about",
        },
    ),
    "true reasons for what deletes no row": (
        ITEMS
        | {
            "/items/{id}/trash": {"delete": _call(), **_by_path(id="string")},
            "/items/{id}/rooms": {"get": _call(_list("Room")), "delete": _call(), **_by_path(id="string")},
            "/cache": {"delete": _call()},
        },
        {"Item": ITEM, "Room": ROOM},
        {
            "DELETE /items/{id}/trash": "it deletes a part or a state of a row, not the row",
            "DELETE /items/{id}/rooms": "it deletes all rows of a list",
            "DELETE /cache": "it deletes something that is not a row",
        },
    ),
    "a POST that answers with a row need not make one": (
        ITEMS
        | {
            "/login": {"post": _call(_of("Item"), _object("name", name="string"))},
            "/items/search": {"post": _call(_list("Item"))},
        },
        {"Item": ITEM},
        {"POST /login": "its path leads to no table, so the document does not say what it changes"},
    ),
    "a part of a list is left open, if no column says which": (
        {
            "/items": ITEMS["/items"],
            "/items/mine": {"get": _call(_list("Item"))},
            "/items/by-state": {"get": _call(_list("Item"), state={"required": True})},
        },
        {"Item": ITEM},
        {
            "GET /items/mine": "it lists some of the rows, and no column says which",
            "GET /items/by-state": "find item: state/equals/state",
        },
    ),
    "a filter of another type is no filter": (
        {
            "/items": {
                "get": _call(_list("Item"), name={"schema": {"type": "boolean"}}, state={"schema": {"type": "string"}})
            }
        },
        {"Item": ITEM},
        {"GET /items": "find item: state/equals/state?"},
    ),
    "a key that is another table's names a row together with its path": (
        {
            "/teams": {"get": _call(_list("Team"))},
            "/rooms": {"get": _call(_list("Room"))},
            "/rooms/{name}/teams": {
                "get": _call(_list("RoomTeam")),
                "post": _call(_of("RoomTeam"), _object("team_id", team_id="string")),
                **_by_path(name="string"),
            },
            "/rooms/{room_name}/teams/{team_id}": {"delete": _call(), **_by_path(room_name="string", team_id="string")},
            "/room-teams/{team_id}": {"get": _call(_of("RoomTeam")), **_by_path(team_id="string")},
        },
        {
            "Team": TEAM,
            "Room": ROOM,
            "RoomTeam": _object("team_id room_name", team_id="string", room_name="string", role="string"),
        },
        {
            "DELETE /rooms/{room_name}/teams/{team_id}": (
                "delete room_team: team_id/key/team_id room_name/key/room_name"
            ),
            "GET /room-teams/{team_id}": "its path names only a part of the key (room_name, team_id)",
        },
    ),
    "what uses a bad reference stays open, and nothing else": (
        {
            "/items": ITEMS["/items"],
            "/users": {"get": _call(_list("Nobody"))},
            "/rooms": {"get": _call({"type": "array", "items": {"$ref": "#nobody"}})},
        },
        {"Item": {**ITEM, "properties": {**ITEM["properties"], "odd": _of("Nobody")}}},
        {"GET /items": "find item: "},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_document_says_and_no_more(tmp_path: Path, case: str) -> None:
    paths, schemas, expected = CASES[case]
    source = read_openapi(Document(str(_document(tmp_path, paths, components={"schemas": schemas}))), "api.json")
    told = _told(source) | source.opened
    assert {said: told[said] for said in expected} == expected
    assert [*source.account.differences()] == []


def test_an_object_beside_its_id_refers_to_its_table(tmp_path: Path) -> None:
    paths, schemas, _ = CASES["an object beside its id is one column"]
    source = read_openapi(Document(str(_document(tmp_path, paths, components={"schemas": schemas}))), "api.json")
    assert [*source.tables["box"].columns] == ["id", "name", "teamId"]
    assert source.tables["box"].columns["teamId"].required
    assert [(each.columns, each.table) for each in source.tables["box"].references] == [(("teamId",), "team")]


def test_what_is_given_and_never_shown_is_hidden(tmp_path: Path) -> None:
    paths, schemas, _ = CASES["a required value that is never shown is kept"]
    source = read_openapi(Document(str(_document(tmp_path, paths, components={"schemas": schemas}))), "api.json")
    columns = source.tables["user"].columns
    assert [name for name, each in columns.items() if each.hidden] == ["password"]
    assert columns["password"].secret
    assert not columns["email"].secret
    assert not columns["password"].required


def test_a_write_only_property_is_hidden_and_a_step_gives_decimals(tmp_path: Path) -> None:
    cents, thirds = {"type": "number", "multipleOf": 0.01}, {"type": "number", "multipleOf": 0.3}
    item = _object("id", id="string", pin={"type": "string", "writeOnly": True}, weight=cents, share=thirds)
    paths = {"/items": {"get": _call({"type": "array", "items": item})}}
    source = read_openapi(Document(str(_document(tmp_path, paths))), "api.json")
    columns = source.tables["item"].columns
    assert (columns["pin"].hidden, columns["weight"].decimals, columns["share"].decimals) == (True, 2, None)
    assert source.account.facts["check", "item.share"].why == "Conditions that are not checked (multipleOf)"
    assert ("check", "item.weight") not in source.account.facts


YAML = """
openapi: 3.0.3
info: {title: Y, version: "1"}
paths:
  /orders:
    get:
      responses:
        200:
          description: 2024-01-01
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  required: [id, on]
                  properties:
                    id: {type: integer}
                    on:
                      type: string
                      enum: [SE, NO, DK, yes, off, 1.0, 1.10, 010, 1e3, true, null, 2024-01-01, 0x1F, 1_000, 12:30]
                    y: {type: string, default: 1.50}
                    n: {type: integer, default: 7}
                    hot: {type: boolean, default: true}
              example: [{id: 1, on: NO, y: 2.10, n: 3, hot: false}]
"""


def test_yaml_is_read_as_version_1_2_and_texts_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text(YAML)
    table = read_openapi(Document(str(tmp_path / "api.yaml")), "api.yaml").tables["order"]
    assert " ".join(table.columns["on"].choices) == "SE NO DK yes off 1.0 1.10 010 1e3 true 2024-01-01 0x1F 1_000 12:30"
    assert [table.columns[name].default for name in ("y", "n", "hot")] == ["1.50", 7, True]
    assert table.rows == [{"id": 1, "on": "NO", "y": "2.10", "n": 3, "hot": False}]


def test_long_names_are_cut_and_kept_apart(tmp_path: Path) -> None:
    long, query = "listAllOfTheItems" * 6, "onlyThoseWhoseStateIsThis" * 4
    paths = {
        path: {"get": {**_call(_list("Item"), state={}), "operationId": long + end}}
        for path, end in (("/items", "A"), ("/items/b", "B"), ("/items/c", "C"))
    }
    item = {**ITEM, "properties": {**ITEM["properties"], query: {"type": "string"}, f"{query}2": {"type": "string"}}}
    paths["/items"]["get"]["parameters"] += [{"name": query, "in": "query"}, {"name": f"{query}2", "in": "query"}]
    source = read_openapi(Document(str(_document(tmp_path, paths, components={"schemas": {"Item": item}}))), "api.json")
    names = [each.name for each in source.operations]
    assert len({*names}) == 3
    assert max(map(len, names)) <= 60
    parameters = [each.name for each in source.operations[0].parameters]
    assert len({*parameters}) == 3
    assert max(map(len, parameters)) <= 60
    why = "Operations that are called differently: the name has more than 60 characters"
    assert [each.where for each in source.account.facts.values() if each.why == why] == [
        "GET /items",
        "GET /items/b",
        "GET /items/c",
    ]


def test_a_parameter_is_called_differently_for_a_true_reason(tmp_path: Path) -> None:
    item = _object("id", **{"id": "string", "from": "string", "user-name": "string", "list": "string"})
    names = {"from": {}, "user-name": {}, "list": {}, "id": {}}
    paths = {"/items": {"get": _call({"type": "array", "items": item}, **names)}}
    source = read_openapi(Document(str(_document(tmp_path, paths))), "api.json")
    assert [each.name for each in source.operations[0].parameters] == ["from_", "user_name", "list_", "id"]
    told = [each for each in source.account.losses() if each.startswith("Parameters that are called differently")]
    assert told == [
        "Parameters that are called differently: Python does not take the name: "
        "GET /items: from is from_, GET /items: user-name is user_name, GET /items: list is list_."
    ]


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (
            {"/flows": {"get": _call(_list("Item"), folder_id={"required": True})}},
            "none of the 1 operations can be a tool: it needs a parameter that is not a column",
        ),
        (
            {"/a": {"get": _call()}, "/b": {"get": _call()}, "/c": {"delete": _call()}},
            "none of the 3 operations can be a tool: 2 because the document does not say what it answers; "
            "it deletes something that is not a row",
        ),
        (
            {"/items/{id}": {"head": _call(), "trace": _call(), **_by_path(id="string")}},
            "none of the 2 operations can be a tool: 2 because its method neither reads nor changes rows",
        ),
    ],
)
def test_an_api_without_a_tool_is_refused_unless_a_model_designs_them(tmp_path: Path, paths: Any, said: str) -> None:
    document = Document(str(_document(tmp_path, paths, components={"schemas": {"Item": ITEM}})))
    with pytest.raises(UsageError, match=said):
        read_openapi(document, "api.json")
    source = read_openapi(document, "api.json", needs_tools=False)
    assert source.operations == []
    assert len(source.opened) == source.account.counts["operation"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("openapi: [3", "is not valid YAML"),
        ('{"openapi": "3.1.0",', "is not valid JSON"),
        ('{"swagger": "2.0"}', "is Swagger 2.0; convert it to OpenAPI 3.0 or 3.1"),
        ('{"openapi": "4.0.0"}', "is not an OpenAPI 3.0 or 3.1 document: its 'openapi' is '4.0.0'"),
        ('{"openapi": "3.1.0", "paths": {}}', "has no operations"),
    ],
)
def test_bad_documents_are_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        read_openapi(Document(str(path)), "api.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "reference",
    [
        *(
            "/etc/hostname",
            "../other.yaml",
            "%2e%2e/other.yaml",
            "link.yaml",
            "https://example.org/x.yaml",
            "#/nowhere",
        ),
        "loop.yaml",
    ],
)
def test_a_document_reads_nothing_but_its_own_folder(tmp_path: Path, reference: str) -> None:
    (tmp_path / "other.yaml").write_text("type: object")
    folder = tmp_path / "api"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "other.yaml")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": reference}}}}}
    path = _document(folder, {"/things/{id}": {"get": {"responses": answer}}})
    with pytest.raises(UsageError, match=r"\$ref|link"):
        read_openapi(Document(str(path)), path.name)


def test_a_redirect_to_another_host_is_not_followed() -> None:
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{server.server_port}/secret.yaml")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(UsageError, match="leads to 'http://localhost:"):
            Document(f"http://127.0.0.1:{server.server_port}/api.yaml")
        server.shutdown()
    assert asked == ["/api.yaml"]


def test_schemas_without_end_are_refused(tmp_path: Path) -> None:
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}
    schemas = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    path = _document(tmp_path, {"/a/{id}": {"get": {"responses": answer}}}, components={"schemas": schemas})
    with pytest.raises(UsageError, match="more than 20 times"):
        read_openapi(Document(str(path)), path.name)
