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
    assert all(": " in line for line in source.opened)


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
    opened = _read("issue_tracker.json").opened
    assert (
        "POST /issues/{number}/merge: it is an action whose state the document does not name "
        "(no column has a value for 'merge')" in opened
    )


def test_what_the_twin_lacks_is_listed() -> None:
    losses = _read("pet_shop.yaml").losses
    assert "security 'key' (apiKey): tools take no credentials" in losses
    assert "customer.phone: pattern '^[0-9() -]+$' is not checked" in losses
    assert "GET /pets: query parameter 'sort' is left out" in losses


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
