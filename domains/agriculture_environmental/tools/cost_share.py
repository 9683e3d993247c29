"""Cost share: practices, and applying for, approving, changing, and closing contracts."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Practice(TypedDict):
    practice_id: Annotated[str, "practice"]
    name: Annotated[str, "name"]
    unit: Annotated[Literal["acre", "foot", "each"], "what it is measured in"]
    cost_cents: Annotated[int, "usual cost of one unit"]
    share_percent: Annotated[int, "percent we pay"]
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"] | None, "only for this use, null for any"]
    funds_left_cents: Annotated[int, "money left for it"]


class PracticeList(TypedDict):
    practices: Annotated[list[Practice], "those listed"]
    total: Annotated[int, "how many match in all"]


class Contract(TypedDict):
    contract_id: Annotated[str, "contract"]
    landowner_id: Annotated[str, "who holds it"]
    field_id: Annotated[str, "field"]
    field_name: Annotated[str, "name of the field"]
    practice_id: Annotated[str, "practice"]
    practice_name: Annotated[str, "name of the practice"]
    units: Annotated[int, "units covered"]
    share_cents: Annotated[int, "most that we pay"]
    status: Annotated[Literal["applied", "approved", "completed", "canceled"], "state"]
    finish_by: Annotated[Date, "day to finish"]
    extensions: Annotated[int, "times extended"]
    spent_cents: Annotated[int | None, "what the landowner spent"]
    paid_cents: Annotated[int | None, "what we paid"]
    created_at: Annotated[Timestamp, "when applied for"]
    approved_at: Annotated[Timestamp | None, "when approved"]


class ContractList(TypedDict):
    contracts: Annotated[list[Contract], "those listed"]
    total: Annotated[int, "how many match in all"]


def _contract(db, contract_id):
    return db.first(
        """
        SELECT c.contract_id, c.landowner_id, c.field_id, f.name AS field_name, c.practice_id, p.name AS practice_name,
            c.units, c.share_cents, c.status, c.finish_by, c.extensions, c.spent_cents, c.paid_cents, c.created_at,
            c.approved_at
        FROM contract c JOIN field f ON f.field_id = c.field_id JOIN practice p ON p.practice_id = c.practice_id
        WHERE c.contract_id = ?
        """,
        contract_id,
    )


def _share(practice, units):
    return round(units * practice["cost_cents"] * practice["share_percent"] / 100)


def _refuse_too_many_acres(practice, field, units):
    if practice["unit"] == "acre" and units > field["acres"]:
        raise Rejection.failed_precondition(f"The field has {field['acres']} acres, fewer than {units}.")


def _refuse_short_funds(practice, needed):
    if needed > practice["funds_left_cents"]:
        raise Rejection.failed_precondition(
            f"{practice['name']} has {practice['funds_left_cents']} cents left, less than the {needed} needed."
        )


def _refuse_unless(contract, states):
    if contract["status"] not in states:
        raise Rejection.failed_precondition(
            f"Contract {contract['contract_id']!r} is {contract['status']}, not {' or '.join(states)}."
        )


OPEN = ("applied", "approved")


@tool(reads=["practice"])
def list_practices(
    db: Database,
    land_use: Annotated[Literal["crops", "hay", "pasture", "woods"] | None, "only practices allowed there"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> PracticeList:
    """List the practices we share the cost of, and the money left for each.

    With land_use: practices for that use or for any use. Sorted by name.
    """
    practices = db.select(
        """
        SELECT * FROM practice WHERE ? IS NULL OR land_use IS NULL OR land_use = ?
        ORDER BY name, practice_id
        """,
        land_use,
        land_use,
    )
    return {"practices": practices[:limit], "total": len(practices)}


@tool(reads=["landowner", "field", "practice", "contract"], rejects=["NOT_FOUND"])
def list_contracts(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    status: Annotated[
        Literal["applied", "approved", "completed", "canceled"] | None, "only contracts in this state"
    ] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ContractList:
    """List a landowner's cost-share contracts.

    Newest created_at first.
    """
    db.require("landowner", landowner_id)
    contracts = db.select(
        """
        SELECT contract_id FROM contract WHERE landowner_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, contract_id
        """,
        landowner_id,
        status,
        status,
    )
    return {
        "contracts": [_contract(db, contract["contract_id"]) for contract in contracts[:limit]],
        "total": len(contracts),
    }


@tool(
    reads=["field"],
    writes=["practice", "contract"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def apply_for_cost_share(
    db: Database,
    field_id: Annotated[str, "field to treat"],
    practice_id: Annotated[str, "practice to install"],
    units: Annotated[int, "how many of the practice's units", Field(ge=1, le=20000)],
    finish_by: Annotated[Date, "day the work will be done"],
) -> Contract:
    """Apply for a share of the cost of a practice on a field.

    Requires: finish_by is after today. The practice is for any land use or for the field's. A practice measured in
    acres gets no more units than the field has acres. The practice has money left for the share. The field has no open
    contract for this practice.

    A new contract of the field's owner, applied, with 0 extensions; its share_cents comes off the practice's
    funds_left_cents.
    """
    if finish_by <= db.today:
        raise Rejection.invalid_argument(f"finish_by {finish_by} is not after today, {db.today}.")
    field = db.require("field", field_id)
    practice = db.require("practice", practice_id)
    if practice["land_use"] not in (None, field["land_use"]):
        raise Rejection.failed_precondition(
            f"{practice['name']} is only for {practice['land_use']}, and the field is {field['land_use']}."
        )
    _refuse_too_many_acres(practice, field, units)
    share = _share(practice, units)
    _refuse_short_funds(practice, share)
    if db.first(
        "SELECT 1 FROM contract WHERE field_id = ? AND practice_id = ? AND status IN ('applied', 'approved')",
        field_id,
        practice_id,
    ):
        raise Rejection.already_exists(f"Field {field_id!r} already has an open contract for {practice['name']}.")
    contract = db.insert(
        "contract",
        contract_id=db.new_id("contract"),
        landowner_id=field["landowner_id"],
        field_id=field_id,
        practice_id=practice_id,
        units=units,
        share_cents=share,
        finish_by=finish_by,
        created_at=db.now,
    )
    db.update("practice", practice_id, funds_left_cents=practice["funds_left_cents"] - share)
    return _contract(db, contract["contract_id"])


@tool(reads=["field"], writes=["practice", "contract"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resize_contract(
    db: Database,
    contract_id: Annotated[str, "contract to change"],
    units: Annotated[int, "new number of units", Field(ge=1, le=20000)],
) -> Contract:
    """Change how many units an open contract covers.

    Requires: The contract is open. A practice measured in acres gets no more units than the field has acres. The
    practice has money left for what the share grows by.

    share_cents is worked out again; the difference comes off the practice's funds_left_cents or goes back to it.
    """
    contract = db.require("contract", contract_id)
    _refuse_unless(contract, OPEN)
    practice = db.require("practice", contract["practice_id"])
    _refuse_too_many_acres(practice, db.require("field", contract["field_id"]), units)
    share = _share(practice, units)
    growth = share - contract["share_cents"]
    if growth > 0:
        _refuse_short_funds(practice, growth)
    db.update("contract", contract_id, units=units, share_cents=share)
    db.update("practice", practice["practice_id"], funds_left_cents=practice["funds_left_cents"] - growth)
    return _contract(db, contract_id)


@tool(reads=["field", "practice"], writes=["contract"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def approve_contract(db: Database, contract_id: Annotated[str, "application to approve"]) -> Contract:
    """Approve an application so that the work can start.

    Requires: The contract is applied.

    It becomes approved; approved_at is the clock.
    """
    _refuse_unless(db.require("contract", contract_id), ("applied",))
    db.update("contract", contract_id, status="approved", approved_at=db.now)
    return _contract(db, contract_id)


@tool(
    reads=["field", "practice"], writes=["contract"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def extend_contract(
    db: Database, contract_id: Annotated[str, "contract to extend"], finish_by: Annotated[Date, "new day to finish"]
) -> Contract:
    """Give an approved contract a later day to finish.

    Requires: finish_by is after today. The contract is approved. The new finish_by is after the old one.

    finish_by moves; extensions goes up by 1.
    """
    if finish_by <= db.today:
        raise Rejection.invalid_argument(f"finish_by {finish_by} is not after today, {db.today}.")
    contract = db.require("contract", contract_id)
    _refuse_unless(contract, ("approved",))
    if finish_by <= contract["finish_by"]:
        raise Rejection.failed_precondition(f"finish_by {finish_by} is not after {contract['finish_by']}.")
    db.update("contract", contract_id, finish_by=finish_by, extensions=contract["extensions"] + 1)
    return _contract(db, contract_id)


@tool(reads=["field"], writes=["practice", "contract"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_contract(
    db: Database,
    contract_id: Annotated[str, "contract that is done"],
    spent_cents: Annotated[int, "what the landowner spent in all", Field(ge=1, le=20000000)],
) -> Contract:
    """Close a contract whose work is done and pay the landowner's share.

    Requires: The contract is approved.

    It becomes completed, with spent_cents, and completed_at as the clock; share_cents stays. paid_cents is
    share_percent of spent_cents, rounded half to even to a cent, at most share_cents; share_cents less paid_cents goes
    back to the practice's funds_left_cents.
    """
    contract = db.require("contract", contract_id)
    _refuse_unless(contract, ("approved",))
    practice = db.require("practice", contract["practice_id"])
    paid = min(contract["share_cents"], round(spent_cents * practice["share_percent"] / 100))
    db.update(
        "contract", contract_id, status="completed", spent_cents=spent_cents, paid_cents=paid, completed_at=db.now
    )
    db.update(
        "practice",
        practice["practice_id"],
        funds_left_cents=practice["funds_left_cents"] + contract["share_cents"] - paid,
    )
    return _contract(db, contract_id)


@tool(reads=["field"], writes=["practice", "contract"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_contract(db: Database, contract_id: Annotated[str, "contract to cancel"]) -> Contract:
    """Cancel an open contract.

    Requires: The contract is open.

    It becomes canceled; canceled_at is the clock; its share_cents goes back to the practice's funds_left_cents and
    stays on the contract.
    """
    contract = db.require("contract", contract_id)
    _refuse_unless(contract, OPEN)
    practice = db.require("practice", contract["practice_id"])
    db.update("contract", contract_id, status="canceled", canceled_at=db.now)
    db.update(
        "practice", practice["practice_id"], funds_left_cents=practice["funds_left_cents"] + contract["share_cents"]
    )
    return _contract(db, contract_id)
