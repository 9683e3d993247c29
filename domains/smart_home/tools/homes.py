"""Homes: adding, handing over, and closing homes, and remote control of what is in them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class HomeEntry(TypedDict):
    home_id: Annotated[str, "the home"]
    nickname: Annotated[str, "what the subscriber calls it"]
    street: Annotated[str, "street address"]
    mode: Annotated[Literal["home", "night", "away"], "present mode"]
    status: Annotated[Literal["open", "closed"], "state of the home"]


class HomeList(TypedDict):
    total: Annotated[int, "homes found"]
    homes: Annotated[list[HomeEntry], "the homes"]


class Home(TypedDict):
    home_id: Annotated[str, "the home"]
    subscriber_id: Annotated[str, "its subscriber"]
    nickname: Annotated[str, "what the subscriber calls it"]
    street: Annotated[str, "street address"]
    city: Annotated[str, "city"]
    zip_code: Annotated[str, "zip code"]
    mode: Annotated[Literal["home", "night", "away"], "present mode"]
    status: Annotated[Literal["open", "closed"], "state of the home"]
    added_on: Annotated[Date, "day it was added"]
    active_devices: Annotated[int, "active devices"]
    live_codes: Annotated[int, "live codes of its locks"]


class HomeClosure(TypedDict):
    home: Annotated[Home, "the closed home"]
    devices_retired: Annotated[int, "devices retired"]
    automations_disabled: Annotated[int, "automations disabled"]
    codes_revoked: Annotated[int, "codes revoked"]
    alerts_resolved: Annotated[int, "alerts resolved"]


class ModeChange(TypedDict):
    home_id: Annotated[str, "the home"]
    mode: Annotated[Literal["home", "night", "away"], "mode now"]
    doors_locked: Annotated[int, "locks that were unlocked before"]
    lights_turned_off: Annotated[int, "lights that were on before"]


class Device(TypedDict):
    device_id: Annotated[str, "the device"]
    home_id: Annotated[str, "its home"]
    name: Annotated[str, "what the household calls it"]
    room: Annotated[str, "where it is"]
    kind: Annotated[Literal["hub", "thermostat", "light", "plug", "lock", "camera", "sensor"], "kind of device"]
    serial_number: Annotated[str, "printed on the device"]
    status: Annotated[Literal["online", "offline", "retired"], "connection"]
    state: Annotated[Literal["on", "off", "locked", "unlocked"] | None, "what it is set to"]
    target_f: Annotated[int | None, "target in degrees Fahrenheit"]
    battery_percent: Annotated[int | None, "charge left"]
    firmware_version: Annotated[str, "installed version"]
    available_firmware: Annotated[str | None, "newer version, if any"]
    paired_on: Annotated[Date, "day it was paired"]
    warranty_until: Annotated[Date, "last day of warranty"]
    retire_reason: Annotated[str | None, "why it was retired"]


class DeviceBatch(TypedDict):
    devices: Annotated[list[Device], "the devices"]


def _home(db, home_id):
    """Show a home with its counts."""
    home = db.require("home", home_id)
    devices = db.value("SELECT count(*) FROM device WHERE home_id = ? AND status <> 'retired'", home_id)
    codes = db.value(
        """
        SELECT count(*)
        FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id
        WHERE d.home_id = ? AND c.status = 'active' AND (c.ends_at IS NULL OR c.ends_at >= ?)
        """,
        home_id,
        db.now,
    )
    return {**home, "active_devices": devices, "live_codes": codes}


def _require_no_visit(db, home_id):
    """Reject a home that has a scheduled visit."""
    visit = db.first("SELECT visit_id FROM visit WHERE home_id = ? AND status = 'scheduled' ORDER BY visit_id", home_id)
    if visit:
        raise Rejection.failed_precondition(f"Home {home_id!r} has the scheduled visit {visit['visit_id']!r}.")


@tool(reads=["subscriber", "home"], rejects=["NOT_FOUND"])
def list_homes(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    status: Annotated[Literal["open", "closed"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> HomeList:
    """List a subscriber's homes.

    Sorted by nickname.
    """
    db.require("subscriber", subscriber_id)
    homes = db.select(
        """
        SELECT home_id, nickname, street, mode, status FROM home
        WHERE subscriber_id = ? AND (? IS NULL OR status = ?)
        ORDER BY nickname, home_id
        """,
        subscriber_id,
        status,
        status,
    )
    return {"total": len(homes), "homes": homes[:limit]}


@tool(reads=["home", "device", "access_code"], rejects=["NOT_FOUND"])
def get_home(db: Database, home_id: Annotated[str, "the home"]) -> Home:
    """Show a home with its address and counts."""
    return _home(db, home_id)


@tool(
    reads=["subscriber", "device", "access_code"],
    writes=["home"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_home(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    nickname: Annotated[str, "what they call it", Field(min_length=1, max_length=40)],
    street: Annotated[str, "street address", Field(min_length=1)],
    city: Annotated[str, "city", Field(min_length=1)],
    zip_code: Annotated[str, "zip code", Field(min_length=5, max_length=5)],
) -> Home:
    """Add a home to a subscriber's account.

    Requires: The account is active. No open home of the subscriber has this nickname. No open home of anyone has this
    street and zip_code.

    The home is open, mode is home, added_on is today.
    """
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] != "active":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is {subscriber['status']}, not active.")
    if db.first(
        "SELECT home_id FROM home WHERE subscriber_id = ? AND nickname = ? AND status = 'open'", subscriber_id, nickname
    ):
        raise Rejection.already_exists(f"An open home of {subscriber_id!r} is called {nickname!r} already.")
    if db.first("SELECT home_id FROM home WHERE street = ? AND zip_code = ? AND status = 'open'", street, zip_code):
        raise Rejection.already_exists(f"An open home is at {street!r} in {zip_code} already.")
    home = db.insert(
        "home",
        home_id=db.new_id("home"),
        subscriber_id=subscriber_id,
        nickname=nickname,
        street=street,
        city=city,
        zip_code=zip_code,
        mode="home",
        status="open",
        added_on=db.today,
    )
    return _home(db, home["home_id"])


@tool(
    reads=["subscriber", "device", "visit"],
    writes=["home", "access_code"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def transfer_home(
    db: Database, home_id: Annotated[str, "the home"], subscriber_id: Annotated[str, "new subscriber"]
) -> Home:
    """Hand a home with its devices to another subscriber, as after a sale.

    Requires: The home is open and not already with this subscriber. The home has no scheduled visit. The new
    subscriber's account is active. No open home of the new subscriber has the same nickname.

    subscriber_id changes; active codes of the home's locks become revoked.
    """
    home = db.require("home", home_id)
    subscriber = db.require("subscriber", subscriber_id)
    if home["status"] != "open" or home["subscriber_id"] == subscriber_id:
        raise Rejection.failed_precondition(f"Home {home_id!r} is closed or with {subscriber_id!r} already.")
    _require_no_visit(db, home_id)
    if subscriber["status"] != "active":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is {subscriber['status']}, not active.")
    if db.first(
        "SELECT home_id FROM home WHERE subscriber_id = ? AND nickname = ? AND status = 'open'",
        subscriber_id,
        home["nickname"],
    ):
        raise Rejection.already_exists(f"An open home of {subscriber_id!r} is called {home['nickname']!r} already.")
    codes = db.select(
        """
        SELECT c.access_code_id
        FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id
        WHERE d.home_id = ? AND c.status = 'active'
        """,
        home_id,
    )
    for code in codes:
        db.update("access_code", code["access_code_id"], status="revoked")
    db.update("home", home_id, subscriber_id=subscriber_id)
    return _home(db, home_id)


@tool(
    reads=["visit"],
    writes=["home", "device", "automation", "access_code", "alert"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def close_home(db: Database, home_id: Annotated[str, "the home"]) -> HomeClosure:
    """Close a home and retire everything in it.

    Requires: The home is open. The home has no scheduled visit.

    status becomes closed. Its active devices become retired with retire_reason 'Home closed'; their enabled automations
    become disabled, their active codes revoked, their unresolved alerts resolved now with resolution 'Home closed';
    each is counted.
    """
    home = db.require("home", home_id)
    if home["status"] != "open":
        raise Rejection.failed_precondition(f"Home {home_id!r} is {home['status']}, not open.")
    _require_no_visit(db, home_id)
    automations_disabled, codes_revoked, alerts_resolved = 0, 0, 0
    devices = db.select("SELECT device_id FROM device WHERE home_id = ? AND status <> 'retired'", home_id)
    for device in devices:
        device_id = device["device_id"]
        for row in db.select(
            "SELECT automation_id FROM automation WHERE device_id = ? AND status = 'enabled'", device_id
        ):
            db.update("automation", row["automation_id"], status="disabled")
            automations_disabled += 1
        for row in db.select(
            "SELECT access_code_id FROM access_code WHERE device_id = ? AND status = 'active'", device_id
        ):
            db.update("access_code", row["access_code_id"], status="revoked")
            codes_revoked += 1
        for row in db.select("SELECT alert_id FROM alert WHERE device_id = ? AND status <> 'resolved'", device_id):
            db.update("alert", row["alert_id"], status="resolved", resolved_at=db.now, resolution="Home closed")
            alerts_resolved += 1
        db.update("device", device_id, status="retired", retire_reason="Home closed")
    db.update("home", home_id, status="closed")
    return {
        "home": _home(db, home_id),
        "devices_retired": len(devices),
        "automations_disabled": automations_disabled,
        "codes_revoked": codes_revoked,
        "alerts_resolved": alerts_resolved,
    }


@tool(writes=["home", "device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_home_mode(
    db: Database, home_id: Annotated[str, "the home"], mode: Annotated[Literal["home", "night", "away"], "new mode"]
) -> ModeChange:
    """Switch a home to home, night, or away mode.

    Requires: The home is open and not already in this mode.

    For night and away, every online unlocked lock becomes locked. For away only, every online light that is on becomes
    off. What does not apply counts 0.
    """
    home = db.require("home", home_id)
    if home["status"] != "open" or home["mode"] == mode:
        raise Rejection.failed_precondition(f"Home {home_id!r} is {home['status']} and in mode {home['mode']}.")
    locks, lights = [], []
    if mode in ("night", "away"):
        locks = db.select(
            "SELECT device_id FROM device WHERE home_id = ? AND kind = 'lock' AND status = 'online' AND state = 'unlocked'",
            home_id,
        )
    if mode == "away":
        lights = db.select(
            "SELECT device_id FROM device WHERE home_id = ? AND kind = 'light' AND status = 'online' AND state = 'on'",
            home_id,
        )
    for lock in locks:
        db.update("device", lock["device_id"], state="locked")
    for light in lights:
        db.update("device", light["device_id"], state="off")
    db.update("home", home_id, mode=mode)
    return {"home_id": home_id, "mode": mode, "doors_locked": len(locks), "lights_turned_off": len(lights)}


@tool(writes=["device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def switch_devices(
    db: Database,
    device_ids: Annotated[list[str], "lights and plugs", Field(min_length=1, max_length=20)],
    state: Annotated[Literal["on", "off"], "on or off"],
) -> DeviceBatch:
    """Turn lights and plugs on or off.

    Requires: Every device is a light or a plug. Every device is online.

    state becomes the given one, also where it already was.
    """
    if len(set(device_ids)) < len(device_ids):
        raise Rejection.invalid_argument("The list names a device twice.")
    devices = [db.require("device", device_id) for device_id in device_ids]
    for device in devices:
        if device["kind"] not in ("light", "plug"):
            raise Rejection.failed_precondition(
                f"Device {device['device_id']!r} is a {device['kind']}, not a light or a plug."
            )
    for device in devices:
        if device["status"] != "online":
            raise Rejection.failed_precondition(f"Device {device['device_id']!r} is {device['status']}, not online.")
    return {"devices": [db.update("device", device_id, state=state) for device_id in device_ids]}


@tool(writes=["device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_lock(
    db: Database,
    device_id: Annotated[str, "the lock"],
    state: Annotated[Literal["locked", "unlocked"], "locked or unlocked"],
) -> Device:
    """Lock or unlock a door from afar.

    Requires: The device is a lock and online. The lock is not already in this state.

    state becomes the given one.
    """
    device = db.require("device", device_id)
    if device["kind"] != "lock" or device["status"] != "online":
        raise Rejection.failed_precondition(
            f"Device {device_id!r} is a {device['kind']} and {device['status']}, not an online lock."
        )
    if device["state"] == state:
        raise Rejection.failed_precondition(f"Lock {device_id!r} is {state} already.")
    return db.update("device", device_id, state=state)


@tool(writes=["device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_thermostat_target(
    db: Database,
    device_id: Annotated[str, "the thermostat"],
    target_f: Annotated[int, "degrees Fahrenheit", Field(ge=45, le=90)],
) -> Device:
    """Set the target temperature of a thermostat.

    Requires: The device is a thermostat and online.

    target_f becomes the given one.
    """
    device = db.require("device", device_id)
    if device["kind"] != "thermostat" or device["status"] != "online":
        raise Rejection.failed_precondition(
            f"Device {device_id!r} is a {device['kind']} and {device['status']}, not an online thermostat."
        )
    return db.update("device", device_id, target_f=target_f)
