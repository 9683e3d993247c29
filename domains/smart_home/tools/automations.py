"""Automations: setting up, changing, enabling, disabling, and deleting them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, TypedDict, tool


class Automation(TypedDict):
    automation_id: Annotated[str, "the automation"]
    name: Annotated[str, "its name"]
    device_id: Annotated[str, "device it acts on"]
    device_name: Annotated[str, "name of that device"]
    action: Annotated[Literal["turn_on", "turn_off", "lock", "set_temperature"], "what it does"]
    target_f: Annotated[int | None, "temperature it sets"]
    run_time: Annotated[str, "time of day, HH:MM"]
    days: Annotated[Literal["daily", "weekdays", "weekends"], "when it runs"]
    status: Annotated[Literal["enabled", "disabled"], "enabled or disabled"]


class AutomationList(TypedDict):
    total: Annotated[int, "automations found or changed"]
    automations: Annotated[list[Automation], "the automations"]


_KINDS = {
    "turn_on": ("light", "plug"),
    "turn_off": ("light", "plug"),
    "lock": ("lock",),
    "set_temperature": ("thermostat",),
}


def _automation(db, automation_id):
    """Show an automation with the name of its device."""
    return db.first(
        """
        SELECT a.automation_id, a.name, a.device_id, d.name AS device_name, a.action, a.target_f, a.run_time, a.days, a.status
        FROM automation AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE a.automation_id = ?
        """,
        automation_id,
    )


def _require_time(db, run_time):
    """Reject a text of five characters that is no time of day."""
    hour, minute = run_time[:2], run_time[3:]
    digits = all(character in "0123456789" for character in hour + minute)
    if run_time[2] != ":" or not digits or hour > "23" or minute > "59":
        raise Rejection.invalid_argument(f"Time {run_time!r} is not a time from 00:00 to 23:59.")


def _require_no_clash(db, automation_id, device_id, run_time, days):
    """Reject a schedule that clashes with another enabled automation."""
    other = db.first(
        """
        SELECT automation_id FROM automation
        WHERE device_id = ? AND run_time = ? AND status = 'enabled' AND automation_id <> ?
          AND (days = ? OR days = 'daily' OR ? = 'daily')
        """,
        device_id,
        run_time,
        automation_id,
        days,
        days,
    )
    if other:
        raise Rejection.failed_precondition(f"Automation {automation_id!r} clashes with {other['automation_id']!r}.")


@tool(reads=["home", "device", "automation"], rejects=["NOT_FOUND"])
def list_automations(
    db: Database,
    home_id: Annotated[str, "the home"],
    status: Annotated[Literal["enabled", "disabled"] | None, "only enabled or disabled"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> AutomationList:
    """List the automations of a home.

    All whose device is in the home, sorted by run_time.
    """
    db.require("home", home_id)
    rows = db.select(
        """
        SELECT a.automation_id
        FROM automation AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE d.home_id = ? AND (? IS NULL OR a.status = ?)
        ORDER BY a.run_time, a.automation_id
        """,
        home_id,
        status,
        status,
    )
    return {"total": len(rows), "automations": [_automation(db, row["automation_id"]) for row in rows[:limit]]}


@tool(
    reads=["device"],
    writes=["automation"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def create_automation(
    db: Database,
    device_id: Annotated[str, "device it acts on"],
    name: Annotated[str, "its name", Field(min_length=1, max_length=40)],
    action: Annotated[Literal["turn_on", "turn_off", "lock", "set_temperature"], "what it does"],
    run_time: Annotated[str, "24-hour time, HH:MM", Field(min_length=5, max_length=5)],
    days: Annotated[Literal["daily", "weekdays", "weekends"], "when it runs"],
    target_f: Annotated[int | None, "for set_temperature only", Field(ge=45, le=90)] = None,
) -> Automation:
    """Set up an automation for a device; it starts disabled.

    Requires: run_time is a time from 00:00 to 23:59. target_f is given if and only if action is set_temperature. The
    device is active. The action fits: turn_on, turn_off for lights and plugs, lock for locks, set_temperature for
    thermostats. No automation of a device in the same home has this name.

    status is disabled.
    """
    _require_time(db, run_time)
    if (target_f is not None) != (action == "set_temperature"):
        raise Rejection.invalid_argument(
            f"A target temperature goes with set_temperature and only with it, not with {action}."
        )
    device = db.require("device", device_id)
    if device["status"] == "retired":
        raise Rejection.failed_precondition(f"Device {device_id!r} is retired, not active.")
    if device["kind"] not in _KINDS[action]:
        raise Rejection.failed_precondition(f"Action {action} does not fit a {device['kind']}.")
    if db.first(
        """
        SELECT a.automation_id
        FROM automation AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE d.home_id = ? AND a.name = ?
        """,
        device["home_id"],
        name,
    ):
        raise Rejection.already_exists(f"An automation in this home is named {name!r} already.")
    automation = db.insert(
        "automation",
        automation_id=db.new_id("automation"),
        device_id=device_id,
        name=name,
        action=action,
        target_f=target_f,
        run_time=run_time,
        days=days,
        status="disabled",
    )
    return _automation(db, automation["automation_id"])


@tool(reads=["device"], writes=["automation"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_automation(
    db: Database,
    automation_id: Annotated[str, "the automation"],
    run_time: Annotated[str | None, "new time, HH:MM", Field(min_length=5, max_length=5)] = None,
    days: Annotated[Literal["daily", "weekdays", "weekends"] | None, "new days"] = None,
    target_f: Annotated[int | None, "new temperature", Field(ge=45, le=90)] = None,
) -> Automation:
    """Change when an automation runs or the temperature it sets.

    Requires: At least one of run_time, days, target_f is given. run_time, if given, is a time from 00:00 to 23:59.
    target_f is given only if the action is set_temperature. If enabled, the changed automation clashes with no other
    enabled one.

    Only the given fields change.
    """
    if run_time is None and days is None and target_f is None:
        raise Rejection.invalid_argument("Give at least one of run_time, days, and target_f.")
    if run_time is not None:
        _require_time(db, run_time)
    automation = db.require("automation", automation_id)
    if target_f is not None and automation["action"] != "set_temperature":
        raise Rejection.failed_precondition(
            f"Automation {automation_id!r} does {automation['action']}, not set_temperature."
        )
    new_time = automation["run_time"] if run_time is None else run_time
    new_days = automation["days"] if days is None else days
    new_target = automation["target_f"] if target_f is None else target_f
    if automation["status"] == "enabled":
        _require_no_clash(db, automation_id, automation["device_id"], new_time, new_days)
    db.update("automation", automation_id, run_time=new_time, days=new_days, target_f=new_target)
    return _automation(db, automation_id)


@tool(reads=["device"], writes=["automation"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def enable_automations(
    db: Database, automation_ids: Annotated[list[str], "automations to enable", Field(min_length=1, max_length=20)]
) -> AutomationList:
    """Enable automations.

    Requires: Every automation is disabled. Every automation's device is active. None clashes with an enabled automation
    or with another given one.

    status becomes enabled.
    """
    if len(set(automation_ids)) < len(automation_ids):
        raise Rejection.invalid_argument("The list names an automation twice.")
    given = [db.require("automation", automation_id) for automation_id in automation_ids]
    for one in given:
        if one["status"] != "disabled":
            raise Rejection.failed_precondition(
                f"Automation {one['automation_id']!r} is {one['status']}, not disabled."
            )
    for one in given:
        if db.require("device", one["device_id"])["status"] == "retired":
            raise Rejection.failed_precondition(f"Device {one['device_id']!r} is retired, not active.")
    for place, one in enumerate(given):
        _require_no_clash(db, one["automation_id"], one["device_id"], one["run_time"], one["days"])
        for other in given[:place]:
            same = one["device_id"] == other["device_id"] and one["run_time"] == other["run_time"]
            if same and (one["days"] == other["days"] or "daily" in (one["days"], other["days"])):
                raise Rejection.failed_precondition(
                    f"Automation {one['automation_id']!r} clashes with {other['automation_id']!r}."
                )
    for automation_id in automation_ids:
        db.update("automation", automation_id, status="enabled")
    return {"total": len(given), "automations": [_automation(db, automation_id) for automation_id in automation_ids]}


@tool(reads=["device"], writes=["automation"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def disable_automations(
    db: Database, automation_ids: Annotated[list[str], "automations to disable", Field(min_length=1, max_length=20)]
) -> AutomationList:
    """Disable automations.

    Requires: Every automation is enabled.

    status becomes disabled.
    """
    if len(set(automation_ids)) < len(automation_ids):
        raise Rejection.invalid_argument("The list names an automation twice.")
    for one in [db.require("automation", automation_id) for automation_id in automation_ids]:
        if one["status"] != "enabled":
            raise Rejection.failed_precondition(f"Automation {one['automation_id']!r} is {one['status']}, not enabled.")
    for automation_id in automation_ids:
        db.update("automation", automation_id, status="disabled")
    return {
        "total": len(automation_ids),
        "automations": [_automation(db, automation_id) for automation_id in automation_ids],
    }


@tool(reads=["device"], writes=["automation"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_automation(db: Database, automation_id: Annotated[str, "the automation"]) -> Automation:
    """Delete an automation.

    Requires: The automation is disabled.

    The row is deleted.
    """
    automation = db.require("automation", automation_id)
    if automation["status"] != "disabled":
        raise Rejection.failed_precondition(f"Automation {automation_id!r} is {automation['status']}, not disabled.")
    shown = _automation(db, automation_id)
    db.delete("automation", automation_id)
    return shown
