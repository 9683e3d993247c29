"""What is read from an OpenAPI document: tables, operations, what stays open, and bad input."""

from __future__ import annotations

import json
import re
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


def _schema(tokens: list[str]) -> dict[str, Any]:
    """A schema by its shorthand: {id! name seats:integer state:open|done team:Team tags:[Tag]}."""
    token = tokens.pop(0)
    if token == "[":
        items = _schema(tokens)
        tokens.pop(0)
        return {"type": "array", "items": items}
    if token == "{":
        properties, required = {}, []
        while (name := tokens.pop(0)) != "}":
            if tokens[0] == "!":
                required.append(tokens.pop(0) and name)
            is_typed = tokens[0] == ":" and tokens.pop(0)
            properties[name] = _schema(tokens) if is_typed else {"type": "string"}
        return {"type": "object", "required": required, "properties": properties}
    if token[0].isupper():
        return {"$ref": f"#/components/schemas/{token}"}
    if token == "binary":
        return {"type": "string", "format": token}
    return {"type": "string", "enum": token.split("|")} if "|" in token else {"type": token}


_LINE = re.compile(
    r"(?P<method>[A-Z]+) (?P<path>/\S*)(?: \?(?P<query>.*?))?(?: (?:(?P<form>\S+/\S+) )?(?P<body>[A-Z{].*?))?"
    r"(?: -> (?P<gives>.*?))?(?: => (?P<expected>.*))?"
)


def _api(text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """A document by its shorthand, a schema or an operation a line, and what is expected of the operations."""
    paths: dict[str, Any] = {}
    schemas, expected = {}, {}

    def read(told: str) -> dict[str, Any]:
        return _schema(re.findall(r"[{}\[\]:!]|[\w|-]+", told))

    for line in filter(None, map(str.strip, text.splitlines())):
        found = _LINE.fullmatch(line)
        if found is None:
            name, _, told = line.partition(": ")
            schemas[name] = read(told)
            continue
        path, query = re.sub(r":\w+\}", "}", found["path"]), read(f"{{{found['query'] or ''}}}")
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": {"type": kind}}
            for name, kind in re.findall(r"\{(\w+):(\w+)\}", found["path"])
        ]
        parameters += [
            {"name": name, "in": "query", "required": name in query["required"], "schema": schema}
            for name, schema in query["properties"].items()
        ]
        gives = {"content": {"application/json": {"schema": read(found["gives"])}}} if found["gives"] else {}
        call: dict[str, Any] = {"responses": {"200": gives}, "parameters": parameters}
        if found["body"]:
            call["requestBody"] = {"content": {found["form"] or "application/json": {"schema": read(found["body"])}}}
        paths.setdefault(path, {})[found["method"].lower()] = call
        if found["expected"] is not None:
            expected[f"{found['method']} {path}"] = found["expected"]
    return {"openapi": "3.1.0", "info": {"title": "T"}, "paths": paths, "components": {"schemas": schemas}}, expected


def _read_api(tmp_path: Path, text: str) -> TwinSource:
    (tmp_path / "api.json").write_text(json.dumps(_api(text)[0]))
    return read_openapi(Document(str(tmp_path / "api.json")), "api.json")


ITEMS = """
    Item: {id! name state:open|archived}
    User: {id!:integer username email}
    Team: {id! name!}
    Room: {name! seats:integer}
    GET /items -> [Item]
"""
CASES = {
    "an object beside its id is one column": """
        Box: {id! teamId! name team:Team}
        GET /teams -> [Team]
        GET /boxes -> [Box]
        POST /boxes {name! teamId!} -> Box => create box: name/value/name teamId/value/teamId
        POST /boxes/{id}/move {teamId} -> Box""",
    "an object of scalars beside its id is one column": """
        Box: {id!:integer team:{id name} team_id}
        GET /boxes -> [Box]
        POST /boxes {team_id!} -> Box => create box: team_id/value/team_id""",
    "a path parameter finds the row by its column": """
        GET /user/{username:string} -> User => get user: username/key/username
        DELETE /user/{username:string} => delete user: username/key/username
        PUT /user/{username:string} User => update user: username/key/username email/value/email?""",
    "a path parameter of another type than the key, or that is no column, is left open": """
        GET /users -> [User]
        GET /users/{userId:string} -> User => it finds a row by a value of another type than the rows hold (userId)
        GET /items/{nick:string} -> Item => it finds a row by a value that no column holds (nick)""",
    "rows in envelopes": """
        Oops: {text}
        GET /users -> {data:{results:[User] total:integer}} => find user:
        GET /users/{id:integer} -> {data:User} => get user: id/key/id
        GET /teams -> {ok:boolean body:{page:{teams:[Team] errors:[Oops]}}} => find team:
        POST /items {name!} -> {ok:boolean item:Item} => create item: name/value/name""",
    "a form is read as JSON is": """
        GET /rooms -> [Room]
        POST /rooms application/x-www-form-urlencoded Room => create room: name/value/name seats/value/seats?
        POST /items multipart/form-data {name} => create item: name/value/name?""",
    "a form with files stays open": """
        POST /items multipart/form-data {picture:binary name} => its body has files""",
    "a POST to a row that has no PATCH changes it": """
        POST /items/{id:string} application/x-www-form-urlencoded Item -> Item """
    """=> update item: id/key/id name/value/name? state/value/state?""",
    "a required value that is never shown is kept, a list that no row holds is not": """
        GET /users -> [User]
        POST /users {email! password!} -> User => create user: email/value/email password/value/password
        POST /items {name roles!:[Team]} -> Item => it gives a value that no column holds (roles)""",
    "a verb behind a colon is no row": """
        GET /items/{id:string}:history -> [string] => its answer is not a list of rows
        DELETE /items/{id:string}:purge => it deletes a part or a state of a row, not the row
        POST /items/{id:string}:archive => set item: id/key/id
        POST /items:import => its path leads to no table, so the document does not say what it changes
        GET /items/{a:string}-{b:string} -> Item => its path does not say which rows it is about""",
    "true reasons for what deletes no row": """
        GET /items/{id:string}/rooms -> [Room]
        DELETE /items/{id:string}/trash => it deletes a part or a state of a row, not the row
        DELETE /items/{id:string}/rooms => it deletes all rows of a list
        DELETE /cache => it deletes something that is not a row""",
    "a POST that answers with a row need not make one": """
        POST /login {name} -> Item => its path leads to no table, so the document does not say what it changes
        POST /items/search -> [Item]""",
    "a part of a list is left open, if no column says which": """
        GET /items/mine -> [Item] => it lists some of the rows, and no column says which
        GET /items/by-state ?state! -> [Item] => find item: state/equals/state""",
    "a filter of another type is no filter": """
        GET /items ?name:boolean state -> [Item] => find item: state/equals/state?""",
    "a key that is another table's names a row together with its path": """
        RoomTeam: {team_id! room_name! role}
        GET /teams -> [Team]
        GET /rooms -> [Room]
        GET /rooms/{name:string}/teams -> [RoomTeam]
        POST /rooms/{name:string}/teams {team_id} -> RoomTeam
        DELETE /rooms/{room_name:string}/teams/{team_id:string} """
    """=> delete room_team: team_id/key/team_id room_name/key/room_name
        GET /room-teams/{team_id:string} -> RoomTeam """
    """=> its path names only a part of the key (room_name, team_id)""",
    "what uses a bad reference stays open, and nothing else": """
        Item: {id! name odd:Nobody}
        GET /items -> [Item] => find item:
        GET /users -> [Nobody]""",
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_document_says_and_no_more(tmp_path: Path, case: str) -> None:
    expected = _api(CASES[case])[1]
    source = _read_api(tmp_path, ITEMS + CASES[case])
    told = source.opened | {
        each.said: f"{each.verb} {each.table}: "
        + " ".join(f"{p.name}/{p.role}/{p.column}" + "?" * (not p.required) for p in each.parameters)
        for each in source.operations
    }
    assert {said: told[said].strip() for said in expected} == expected
    assert [*source.account.differences()] == []


def test_an_object_beside_its_id_refers_to_its_table(tmp_path: Path) -> None:
    table = _read_api(tmp_path, ITEMS + CASES["an object beside its id is one column"]).tables["box"]
    assert [*table.columns] == ["id", "teamId", "name"]
    assert table.columns["teamId"].required
    assert [(each.columns, each.table) for each in table.references] == [(("teamId",), "team")]


def test_what_is_given_and_never_shown_is_hidden(tmp_path: Path) -> None:
    columns = (
        _read_api(
            tmp_path, ITEMS + CASES["a required value that is never shown is kept, a list that no row holds is not"]
        )
        .tables["user"]
        .columns
    )
    assert [name for name, each in columns.items() if each.hidden] == ["password"]
    assert not columns["password"].required


def test_a_write_only_property_is_hidden_and_a_step_gives_decimals(tmp_path: Path) -> None:
    document, _ = _api("GET /items -> [Item]\nItem: {id! pin weight:number share:number}")
    given = {
        "pin": {"writeOnly": True, "format": "password"},
        "weight": {"multipleOf": 0.01},
        "share": {"multipleOf": 0.3},
    }
    for name, more in given.items():
        document["components"]["schemas"]["Item"]["properties"][name] |= more
    (tmp_path / "api.json").write_text(json.dumps(document))
    source = read_openapi(Document(str(tmp_path / "api.json")), "api.json")
    columns = source.tables["item"].columns
    assert (columns["pin"].hidden, columns["pin"].secret) == (True, True)
    assert (columns["weight"].decimals, columns["share"].decimals) == (2, None)
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
    document, _ = _api(f"""
        Item: {{id! state {query} {query}2}}
        GET /items ?{query} {query}2 state -> [Item]
        GET /items/b ?state -> [Item]
        GET /items/c ?state -> [Item]""")
    for path, end in (("/items", "A"), ("/items/b", "B"), ("/items/c", "C")):
        document["paths"][path]["get"]["operationId"] = long + end
    (tmp_path / "api.json").write_text(json.dumps(document))
    source = read_openapi(Document(str(tmp_path / "api.json")), "api.json")
    for names in ([each.name for each in source.operations], [each.name for each in source.operations[0].parameters]):
        assert len({*names}) == 3
        assert max(map(len, names)) <= 60
    why = "Operations that are called differently: the name has more than 60 characters"
    said = [each.where for each in source.account.facts.values() if each.why == why]
    assert said == ["GET /items", "GET /items/b", "GET /items/c"]


def test_a_parameter_is_called_differently_for_a_true_reason(tmp_path: Path) -> None:
    text = "Item: {id! from user-name list}\nGET /items ?from user-name list id -> [Item]"
    source = _read_api(tmp_path, text)
    assert [each.name for each in source.operations[0].parameters] == ["from_", "user_name", "list_", "id"]
    told = [each for each in source.account.losses() if each.startswith("Parameters that are called differently")]
    assert told == [
        "Parameters that are called differently: Python does not take the name: "
        "GET /items: from is from_, GET /items: user-name is user_name, GET /items: list is list_."
    ]


NONE = "none of the {} operations can be a tool: "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Item: {id!}\nGET /flows ?folder_id! -> [Item]", NONE.format(1) + "it needs a parameter that is not a column"),
        (
            "GET /a\nGET /b\nDELETE /c",
            NONE.format(3)
            + "2 because the document does not say what it answers; it deletes something that is not a row",
        ),
        (
            "HEAD /items/{id}\nTRACE /items/{id}",
            NONE.format(2) + "2 because its method neither reads nor changes rows",
        ),
    ],
)
def test_an_api_without_a_tool_is_refused_unless_a_model_designs_them(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        _read_api(tmp_path, text)
    source = read_openapi(Document(str(tmp_path / "api.json")), "api.json", needs_tools=False)
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
        *("/etc/hostname", "../other.yaml", "%2e%2e/other.yaml", "link.yaml", "https://example.org/x.yaml"),
        *("#/nowhere", "loop.yaml"),
    ],
)
def test_a_document_reads_nothing_but_its_own_folder(tmp_path: Path, reference: str) -> None:
    (tmp_path / "other.yaml").write_text("type: object")
    folder = tmp_path / "api"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "other.yaml")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    text = json.dumps(_api("GET /things/{id} -> Other")[0]).replace("#/components/schemas/Other", reference)
    (folder / "api.json").write_text(text)
    with pytest.raises(UsageError, match=r"\$ref|link"):
        read_openapi(Document(str(folder / "api.json")), "api.json")


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
    with pytest.raises(UsageError, match="more than 20 times"):
        _read_api(tmp_path, "A: B\nB: A\nGET /a/{id} -> A")
