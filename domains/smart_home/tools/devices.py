"""Devices: pairing, updating, replacing, and retiring them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class DeviceEntry(TypedDict):
    device_id: Annotated[str, "the device"]
    name: Annotated[str, "what the household calls it"]
    room: Annotated[str, "where it is"]
    kind: Annotated[Literal["hub", "thermostat", "light", "plug", "lock", "camera", "sensor"], "kind of device"]
    status: Annotated[Literal["online", "offline", "retired"], "connection"]


class DeviceList(TypedDict):
    total: Annotated[int, "devices found"]
    devices: Annotated[list[DeviceEntry], "the devices"]


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


class Retirement(TypedDict):
    device: Annotated[Device, "the retired device"]
    automations_disabled: Annotated[int, "automations disabled"]
    codes_revoked: Annotated[int, "codes revoked"]
    alerts_resolved: Annotated[int, "alerts resolved"]


def _resolve_alerts(db, device_id, resolution):
    """Resolve the unresolved alerts of a device; return how many there were."""
    alerts = db.select("SELECT alert_id FROM alert WHERE device_id = ? AND status <> 'resolved'", device_id)
    for alert in alerts:
        db.update("alert", alert["alert_id"], status="resolved", resolved_at=db.now, resolution=resolution)
    return len(alerts)


@tool(reads=["home", "device"], rejects=["NOT_FOUND"])
def list_devices(
    db: Database,
    home_id: Annotated[str, "the home"],
    kind: Annotated[
        Literal["hub", "thermostat", "light", "plug", "lock", "camera", "sensor"] | None, "only this kind"
    ] = None,
    status: Annotated[Literal["online", "offline", "retired"] | None, "only this connection"] = None,
    name_contains: Annotated[str | None, "part of the name", Field(min_length=1)] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> DeviceList:
    """List the devices of a home.

    Retired devices are listed too, unless status is given. Sorted by room, then name.
    """
    db.require("home", home_id)
    devices = db.select(
        """
        SELECT device_id, name, room, kind, status FROM device
        WHERE home_id = ? AND (? IS NULL OR kind = ?) AND (? IS NULL OR status = ?)
          AND (? IS NULL OR instr(lower(name), lower(?)) > 0)
        ORDER BY room, name, device_id
        """,
        home_id,
        kind,
        kind,
        status,
        status,
        name_contains,
        name_contains,
    )
    return {"total": len(devices), "devices": devices[:limit]}


@tool(reads=["device"], rejects=["NOT_FOUND"])
def get_device(db: Database, device_id: Annotated[str, "the device"]) -> Device:
    """Show a device with settings, firmware, and warranty."""
    return db.require("device", device_id)


@tool(reads=["subscriber", "home"], writes=["device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def pair_device(
    db: Database,
    home_id: Annotated[str, "the home"],
    name: Annotated[str, "what they call it", Field(min_length=1, max_length=40)],
    room: Annotated[str, "where it is", Field(min_length=1, max_length=40)],
    kind: Annotated[Literal["hub", "thermostat", "light", "plug", "lock", "camera", "sensor"], "kind of device"],
    serial_number: Annotated[str, "printed on the device", Field(min_length=6, max_length=20)],
) -> Device:
    """Add a device to a home.

    Requires: The home is open and its subscriber's account active. The home has an online hub, unless the kind is hub.
    No device anywhere, even retired, has this serial_number. No active device of the home has this name.

    status is online, firmware_version '1.0.0', paired_on today, warranty_until 365 days after today. Where the kind has
    them: state is off or unlocked, target_f 70, battery_percent 100.
    """
    home = db.require("home", home_id)
    subscriber = db.require("subscriber", home["subscriber_id"])
    if home["status"] != "open" or subscriber["status"] != "active":
        raise Rejection.failed_precondition(
            f"Home {home_id!r} is {home['status']} and its account {subscriber['status']}."
        )
    if kind != "hub" and not db.first(
        "SELECT device_id FROM device WHERE home_id = ? AND kind = 'hub' AND status = 'online'", home_id
    ):
        raise Rejection.failed_precondition(f"Home {home_id!r} has no online hub.")
    if db.first("SELECT device_id FROM device WHERE serial_number = ?", serial_number):
        raise Rejection.already_exists(f"A device has the serial number {serial_number!r} already.")
    if db.first("SELECT device_id FROM device WHERE home_id = ? AND name = ? AND status <> 'retired'", home_id, name):
        raise Rejection.already_exists(f"A device in this home is named {name!r} already.")
    states = {"light": "off", "plug": "off", "lock": "unlocked"}
    return db.insert(
        "device",
        device_id=db.new_id("device"),
        home_id=home_id,
        name=name,
        room=room,
        kind=kind,
        serial_number=serial_number,
        status="online",
        state=states.get(kind),
        target_f=70 if kind == "thermostat" else None,
        battery_percent=100 if kind in ("lock", "camera", "sensor") else None,
        firmware_version="1.0.0",
        paired_on=db.today,
        warranty_until=add_days(db.today, 365),
    )


@tool(writes=["device"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def update_device(
    db: Database,
    device_id: Annotated[str, "the device"],
    name: Annotated[str | None, "new name", Field(min_length=1, max_length=40)] = None,
    room: Annotated[str | None, "new room", Field(min_length=1, max_length=40)] = None,
) -> Device:
    """Rename a device or note another room.

    Requires: name or room is given. The device is active. No other active device of the home has the name.

    Only the given fields change.
    """
    if name is None and room is None:
        raise Rejection.invalid_argument("Give a name or a room.")
    device = db.require("device", device_id)
    if device["status"] == "retired":
        raise Rejection.failed_precondition(f"Device {device_id!r} is retired, not active.")
    if name is not None and db.first(
        "SELECT device_id FROM device WHERE home_id = ? AND name = ? AND status <> 'retired' AND device_id <> ?",
        device["home_id"],
        name,
        device_id,
    ):
        raise Rejection.already_exists(f"Another device in this home is named {name!r} already.")
    return db.update(
        "device",
        device_id,
        name=device["name"] if name is None else name,
        room=device["room"] if room is None else room,
    )


@tool(writes=["device"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def install_firmware(
    db: Database, device_ids: Annotated[list[str], "devices to update", Field(min_length=1, max_length=20)]
) -> DeviceBatch:
    """Install the available firmware on devices.

    Requires: Every device is online and has available_firmware. No device has a battery_percent below 20.

    firmware_version becomes available_firmware, which becomes null.
    """
    if len(set(device_ids)) < len(device_ids):
        raise Rejection.invalid_argument("The list names a device twice.")
    devices = [db.require("device", device_id) for device_id in device_ids]
    for device in devices:
        if device["status"] != "online" or device["available_firmware"] is None:
            raise Rejection.failed_precondition(
                f"Device {device['device_id']!r} is not online or has no available firmware."
            )
    for device in devices:
        if device["battery_percent"] is not None and device["battery_percent"] < 20:
            raise Rejection.failed_precondition(
                f"The battery of {device['device_id']!r} is at {device['battery_percent']} percent, below 20."
            )
    return {
        "devices": [
            db.update(
                "device", device["device_id"], firmware_version=device["available_firmware"], available_firmware=None
            )
            for device in devices
        ]
    }


@tool(
    writes=["device", "automation", "access_code", "alert"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def replace_device(
    db: Database,
    device_id: Annotated[str, "device to replace"],
    serial_number: Annotated[str, "of the new device", Field(min_length=6, max_length=20)],
) -> Device:
    """Swap a broken device for a new one of the same kind.

    Requires: The device is active. No device anywhere, even retired, has this serial_number.

    A new online device, returned, takes over home, name, room, kind, state, target_f, firmware_version,
    available_firmware, and warranty_until; battery_percent is 100 where the kind has one; paired_on is today. The old
    device becomes retired with retire_reason 'Replaced'; its automations and codes, whatever their status, move to the
    new device; its unresolved alerts become resolved now with resolution 'Device replaced'.
    """
    old = db.require("device", device_id)
    if old["status"] == "retired":
        raise Rejection.failed_precondition(f"Device {device_id!r} is retired, not active.")
    if db.first("SELECT device_id FROM device WHERE serial_number = ?", serial_number):
        raise Rejection.already_exists(f"A device has the serial number {serial_number!r} already.")
    # The old device goes first: two active devices of a home cannot share a name.
    db.update("device", device_id, status="retired", retire_reason="Replaced")
    new = db.insert(
        "device",
        device_id=db.new_id("device"),
        home_id=old["home_id"],
        name=old["name"],
        room=old["room"],
        kind=old["kind"],
        serial_number=serial_number,
        status="online",
        state=old["state"],
        target_f=old["target_f"],
        battery_percent=None if old["battery_percent"] is None else 100,
        firmware_version=old["firmware_version"],
        available_firmware=old["available_firmware"],
        paired_on=db.today,
        warranty_until=old["warranty_until"],
    )
    for automation in db.select("SELECT automation_id FROM automation WHERE device_id = ?", device_id):
        db.update("automation", automation["automation_id"], device_id=new["device_id"])
    for code in db.select("SELECT access_code_id FROM access_code WHERE device_id = ?", device_id):
        db.update("access_code", code["access_code_id"], device_id=new["device_id"])
    _resolve_alerts(db, device_id, "Device replaced")
    return new


@tool(writes=["device", "automation", "access_code", "alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def retire_device(
    db: Database, device_id: Annotated[str, "the device"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Retirement:
    """Take a device out of service for good.

    Requires: The device is active. A hub goes only if another online hub or no other active device remains.

    status becomes retired with the reason as retire_reason; its enabled automations become disabled, its active codes
    revoked, its unresolved alerts resolved now with resolution 'Device retired'; each is counted.
    """
    device = db.require("device", device_id)
    if device["status"] == "retired":
        raise Rejection.failed_precondition(f"Device {device_id!r} is retired already.")
    if device["kind"] == "hub":
        others = db.select(
            "SELECT kind, status FROM device WHERE home_id = ? AND device_id <> ? AND status <> 'retired'",
            device["home_id"],
            device_id,
        )
        if others and not any(other["kind"] == "hub" and other["status"] == "online" for other in others):
            raise Rejection.failed_precondition(
                f"Hub {device_id!r} is needed by {len(others)} other devices of the home."
            )
    retired = db.update("device", device_id, status="retired", retire_reason=reason)
    automations = db.select(
        "SELECT automation_id FROM automation WHERE device_id = ? AND status = 'enabled'", device_id
    )
    for automation in automations:
        db.update("automation", automation["automation_id"], status="disabled")
    codes = db.select("SELECT access_code_id FROM access_code WHERE device_id = ? AND status = 'active'", device_id)
    for code in codes:
        db.update("access_code", code["access_code_id"], status="revoked")
    return {
        "device": retired,
        "automations_disabled": len(automations),
        "codes_revoked": len(codes),
        "alerts_resolved": _resolve_alerts(db, device_id, "Device retired"),
    }
