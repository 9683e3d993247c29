"""Land: fields on file and their soil tests."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class FieldRecord(TypedDict):
    field_id: Annotated[str, "field"]
    landowner_id: Annotated[str, "its owner"]
    name: Annotated[str, "what the owner calls it"]
    acres: Annotated[int, "whole acres"]
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"], "use"]
    by_stream: Annotated[bool, "touches a stream"]


class FieldList(TypedDict):
    fields: Annotated[list[FieldRecord], "those listed"]
    total: Annotated[int, "how many match in all"]


class SoilTest(TypedDict):
    soil_test_id: Annotated[str, "soil test"]
    field_id: Annotated[str, "field tested"]
    field_name: Annotated[str, "name of the field"]
    kind: Annotated[Literal["standard", "complete"], "which test"]
    price_cents: Annotated[int, "price"]
    status: Annotated[Literal["ordered", "reported"], "state"]
    ph: Annotated[float | None, "pH, 1 decimal"]
    phosphorus_ppm: Annotated[int | None, "phosphorus, parts per million"]
    created_at: Annotated[Timestamp, "when ordered"]
    reported_at: Annotated[Timestamp | None, "when the result came"]


class SoilTestList(TypedDict):
    soil_tests: Annotated[list[SoilTest], "those listed"]
    total: Annotated[int, "how many match in all"]


class SoilTestBatch(TypedDict):
    soil_tests: Annotated[list[SoilTest], "those ordered"]
    total_cents: Annotated[int, "sum of their prices"]


def _refuse_twice(ids):
    for one, times in Counter(ids).items():
        if times > 1:
            raise Rejection.invalid_argument(f"{one!r} is in the list {times} times; give each id once.")


def _field(row):
    return {**row, "by_stream": bool(row["by_stream"])}


def _soil_test(db, soil_test_id):
    return db.first(
        """
        SELECT t.soil_test_id, t.field_id, f.name AS field_name, t.kind, t.price_cents, t.status, t.ph,
            t.phosphorus_ppm, t.created_at, t.reported_at
        FROM soil_test t JOIN field f ON f.field_id = t.field_id
        WHERE t.soil_test_id = ?
        """,
        soil_test_id,
    )


def _refuse_open_contract(db, field_id):
    contract = db.first(
        "SELECT * FROM contract WHERE field_id = ? AND status IN ('applied', 'approved') ORDER BY contract_id", field_id
    )
    if contract is not None:
        raise Rejection.failed_precondition(
            f"Field {field_id!r} has the open contract {contract['contract_id']!r}; it must be completed or canceled first."
        )


def _refuse_taken_name(db, landowner_id, name, field_id):
    if db.first(
        "SELECT 1 FROM field WHERE landowner_id = ? AND name = ? AND field_id <> ?", landowner_id, name, field_id
    ):
        raise Rejection.already_exists(f"The landowner already has a field named {name!r}; choose another name.")


PRICES = {"standard": 1400, "complete": 3200}


@tool(reads=["landowner", "field"], rejects=["NOT_FOUND"])
def list_fields(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"] | None, "only fields of this use"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> FieldList:
    """List a landowner's fields.

    Sorted by name.
    """
    db.require("landowner", landowner_id)
    fields = db.select(
        """
        SELECT * FROM field WHERE landowner_id = ? AND (? IS NULL OR land_use = ?)
        ORDER BY name, field_id
        """,
        landowner_id,
        land_use,
        land_use,
    )
    return {"fields": [_field(row) for row in fields[:limit]], "total": len(fields)}


@tool(reads=["landowner"], writes=["field"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def add_field(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    name: Annotated[str, "what they call it", Field(min_length=1, max_length=60)],
    acres: Annotated[int, "whole acres", Field(ge=1, le=2000)],
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"], "what it is used for"],
    by_stream: Annotated[bool, "whether it touches a stream"] = False,
) -> FieldRecord:
    """Put a field on file for a landowner.

    Requires: The landowner has no other field of this name.
    """
    db.require("landowner", landowner_id)
    _refuse_taken_name(db, landowner_id, name, "")
    return _field(
        db.insert(
            "field",
            field_id=db.new_id("field"),
            landowner_id=landowner_id,
            name=name,
            acres=acres,
            land_use=land_use,
            by_stream=int(by_stream),
        )
    )


@tool(
    reads=["contract"],
    writes=["field"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def update_field(
    db: Database,
    field_id: Annotated[str, "field to change"],
    name: Annotated[str | None, "new name", Field(min_length=1, max_length=60)] = None,
    acres: Annotated[int | None, "whole acres", Field(ge=1, le=2000)] = None,
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"] | None, "new use"] = None,
) -> FieldRecord:
    """Change a field's name, acres or land use.

    Requires: At least one of name, acres and land_use is given. If acres or land_use is given, the field has no open
    contract. Its owner has no other field of the given name.

    Only the given fields change.
    """
    given = {"name": name, "acres": acres, "land_use": land_use}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of name, acres and land_use.")
    field = db.require("field", field_id)
    if acres is not None or land_use is not None:
        _refuse_open_contract(db, field_id)
    if name is not None:
        _refuse_taken_name(db, field["landowner_id"], name, field_id)
    return _field(db.update("field", field_id, **changes))


@tool(reads=["landowner", "contract"], writes=["field"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def transfer_field(
    db: Database,
    field_id: Annotated[str, "field that changed hands"],
    new_owner_id: Annotated[str, "landowner who has it now"],
) -> FieldRecord:
    """Move a field that changed hands to its new owner.

    Requires: The field is not theirs already. The field has no open contract. The new owner has no field of this name.

    landowner_id becomes the new owner; soil tests stay with the field.
    """
    field = db.require("field", field_id)
    db.require("landowner", new_owner_id)
    if field["landowner_id"] == new_owner_id:
        raise Rejection.failed_precondition(f"Field {field_id!r} already belongs to landowner {new_owner_id!r}.")
    _refuse_open_contract(db, field_id)
    _refuse_taken_name(db, new_owner_id, field["name"], field_id)
    return _field(db.update("field", field_id, landowner_id=new_owner_id))


@tool(reads=["landowner", "field", "soil_test"], rejects=["NOT_FOUND"])
def list_soil_tests(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    field_id: Annotated[str | None, "only tests of this field"] = None,
    status: Annotated[Literal["ordered", "reported"] | None, "only tests in this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> SoilTestList:
    """List the soil tests of a landowner's fields.

    Tests of fields that the landowner owns now; newest created_at first.
    """
    db.require("landowner", landowner_id)
    if field_id is not None:
        db.require("field", field_id)
    tests = db.select(
        """
        SELECT t.soil_test_id, t.field_id, f.name AS field_name, t.kind, t.price_cents, t.status, t.ph,
            t.phosphorus_ppm, t.created_at, t.reported_at
        FROM soil_test t JOIN field f ON f.field_id = t.field_id
        WHERE f.landowner_id = ? AND (? IS NULL OR t.field_id = ?) AND (? IS NULL OR t.status = ?)
        ORDER BY t.created_at DESC, t.soil_test_id
        """,
        landowner_id,
        field_id,
        field_id,
        status,
        status,
    )
    return {"soil_tests": tests[:limit], "total": len(tests)}


@tool(reads=["field"], writes=["soil_test"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def order_soil_tests(
    db: Database,
    field_ids: Annotated[list[str], "fields to test", Field(min_length=1, max_length=20)],
    kind: Annotated[Literal["standard", "complete"], "which test"],
) -> SoilTestBatch:
    """Order a soil test for each of one or more fields.

    Requires: None of the fields has a test that is ordered.

    A new test per field, ordered; total_cents adds up their prices.
    """
    _refuse_twice(field_ids)
    for field_id in field_ids:
        db.require("field", field_id)
    for field_id in field_ids:
        if db.first("SELECT 1 FROM soil_test WHERE field_id = ? AND status = 'ordered'", field_id):
            raise Rejection.already_exists(f"Field {field_id!r} already has a soil test that is ordered.")
    ordered = [
        db.insert(
            "soil_test",
            soil_test_id=db.new_id("soil_test"),
            field_id=field_id,
            kind=kind,
            price_cents=PRICES[kind],
            created_at=db.now,
        )
        for field_id in field_ids
    ]
    return {
        "soil_tests": [_soil_test(db, test["soil_test_id"]) for test in ordered],
        "total_cents": sum(test["price_cents"] for test in ordered),
    }


@tool(reads=["field"], writes=["soil_test"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_soil_test_result(
    db: Database,
    soil_test_id: Annotated[str, "test that came back"],
    ph: Annotated[float, "pH", Field(ge=3.0, le=10.0)],
    phosphorus_ppm: Annotated[int, "phosphorus, parts per million", Field(ge=0, le=500)],
) -> SoilTest:
    """Put the lab's result of a soil test on file.

    Requires: The soil test is ordered.

    It becomes reported; ph is stored rounded to 1 decimal, half to even; reported_at is the clock.
    """
    test = db.require("soil_test", soil_test_id)
    if test["status"] != "ordered":
        raise Rejection.failed_precondition(f"Soil test {soil_test_id!r} is {test['status']}, not ordered.")
    db.update(
        "soil_test", soil_test_id, status="reported", ph=round(ph, 1), phosphorus_ppm=phosphorus_ppm, reported_at=db.now
    )
    return _soil_test(db, soil_test_id)
