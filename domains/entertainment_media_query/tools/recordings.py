"""Recordings: the catalog, deposits, corrections, access, and withdrawals."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class RecordingEntry(TypedDict):
    recording_id: Annotated[str, "the recording"]
    name: Annotated[str, "its name"]
    kind: Annotated[Literal["home_movie", "film", "tv", "radio", "music"], "what it is"]
    maker: Annotated[str, "who made it"]
    made_year: Annotated[int, "year it was made"]
    runtime_minutes: Annotated[int, "length in minutes"]
    access: Annotated[Literal["open", "sealed"], "open to members, or sealed"]
    status: Annotated[Literal["cataloged", "withdrawn"], "whether it is in the archive"]


class RecordingList(TypedDict):
    recordings: Annotated[list[RecordingEntry], "the recordings"]
    total: Annotated[int, "recordings that match"]


class Recording(TypedDict):
    recording_id: Annotated[str, "the recording"]
    member_id: Annotated[str, "who deposited it"]
    name: Annotated[str, "its name"]
    kind: Annotated[Literal["home_movie", "film", "tv", "radio", "music"], "what it is"]
    carrier: Annotated[
        Literal["super8", "film_reel", "vhs", "cassette", "audio_reel", "vinyl", "file"], "what it is stored on"
    ]
    maker: Annotated[str, "who made it"]
    made_year: Annotated[int, "year it was made"]
    runtime_minutes: Annotated[int, "length in minutes"]
    description: Annotated[str, "what is on it"]
    digitized: Annotated[bool, "whether a digital copy exists"]
    access: Annotated[Literal["open", "sealed"], "open to members, or sealed"]
    access_set_on: Annotated[Date | None, "day the access last changed"]
    status: Annotated[Literal["cataloged", "withdrawn"], "whether it is in the archive"]
    withdrawn_at: Annotated[Timestamp | None, "when it was withdrawn"]
    withdrawn_reason: Annotated[str | None, "why it was withdrawn"]
    created_at: Annotated[Timestamp, "when it was deposited"]
    booked_viewings: Annotated[int, "booked viewings of it"]
    attended_last_30_days: Annotated[int, "attended viewings, last 30 days"]
    open_inquiries: Annotated[int, "open inquiries about it"]


def _with_use(db, recording):
    recording_id = recording["recording_id"]
    return {
        **recording,
        "digitized": bool(recording["digitized"]),
        "booked_viewings": db.value(
            "SELECT count(*) FROM viewing WHERE recording_id = ? AND status = 'booked'", recording_id
        ),
        "attended_last_30_days": db.value(
            """
            SELECT count(*) FROM viewing
            WHERE recording_id = ? AND status = 'attended' AND starts_at BETWEEN ? AND ?
            """,
            recording_id,
            add_minutes(db.now, -30 * 1440),
            db.now,
        ),
        "open_inquiries": db.value(
            "SELECT count(*) FROM inquiry WHERE recording_id = ? AND status = 'open'", recording_id
        ),
    }


def _require_cataloged(db, recording_id):
    recording = db.require("recording", recording_id)
    if recording["status"] != "cataloged":
        raise Rejection.failed_precondition(f"Recording {recording_id!r} is {recording['status']}, not cataloged.")
    return recording


def _entry(recording):
    return {
        "recording_id": recording["recording_id"],
        "name": recording["name"],
        "kind": recording["kind"],
        "maker": recording["maker"],
        "made_year": recording["made_year"],
        "runtime_minutes": recording["runtime_minutes"],
        "access": recording["access"],
        "status": recording["status"],
    }


@tool(reads=["recording"], rejects=["INVALID_ARGUMENT"])
def search_recordings(
    db: Database,
    text: Annotated[str | None, "words in its name, maker or description", Field(min_length=1)] = None,
    kind: Annotated[Literal["home_movie", "film", "tv", "radio", "music"] | None, "only this kind"] = None,
    made_from: Annotated[int | None, "earliest year made", Field(ge=1890, le=2100)] = None,
    made_to: Annotated[int | None, "latest year made", Field(ge=1890, le=2100)] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> RecordingList:
    """Search the cataloged recordings.

    Requires: made_from is not later than made_to, if both are given.

    text matches when the name, the maker or the description contains it. Withdrawn recordings are never listed; sealed
    ones are. Order: name ascending.
    """
    if made_from is not None and made_to is not None and made_from > made_to:
        raise Rejection.invalid_argument(f"made_from {made_from} is later than made_to {made_to}.")
    recordings = db.select(
        """
        SELECT * FROM recording
        WHERE status = 'cataloged'
          AND (? IS NULL OR instr(lower(name), lower(?)) > 0 OR instr(lower(maker), lower(?)) > 0
               OR instr(lower(description), lower(?)) > 0)
          AND (? IS NULL OR kind = ?)
          AND (? IS NULL OR made_year >= ?)
          AND (? IS NULL OR made_year <= ?)
        ORDER BY name, recording_id
        """,
        text,
        text,
        text,
        text,
        kind,
        kind,
        made_from,
        made_from,
        made_to,
        made_to,
    )
    return {"recordings": [_entry(recording) for recording in recordings[:limit]], "total": len(recordings)}


@tool(reads=["recording", "viewing", "inquiry"], rejects=["NOT_FOUND"])
def get_recording(db: Database, recording_id: Annotated[str, "recording to show"]) -> Recording:
    """Show one recording with how much it is in use.

    Counts are over all members. attended_last_30_days counts attended viewings that started at most 30 days ago and not
    later than now.
    """
    return _with_use(db, db.require("recording", recording_id))


@tool(reads=["member", "recording"], rejects=["NOT_FOUND"])
def list_deposits(
    db: Database,
    member_id: Annotated[str, "the depositor"],
    status: Annotated[Literal["cataloged", "withdrawn"] | None, "only these"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> RecordingList:
    """List the recordings a member deposited, newest first.

    Order: created_at descending.
    """
    db.require("member", member_id)
    recordings = db.select(
        """
        SELECT * FROM recording WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, recording_id
        """,
        member_id,
        status,
        status,
    )
    return {"recordings": [_entry(recording) for recording in recordings[:limit]], "total": len(recordings)}


@tool(
    reads=["member", "viewing", "inquiry"],
    writes=["recording"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"],
)
def deposit_recording(
    db: Database,
    member_id: Annotated[str, "the depositor"],
    name: Annotated[str, "its name", Field(min_length=1)],
    kind: Annotated[Literal["home_movie", "film", "tv", "radio", "music"], "what it is"],
    carrier: Annotated[
        Literal["super8", "film_reel", "vhs", "cassette", "audio_reel", "vinyl", "file"], "what it is stored on"
    ],
    maker: Annotated[str, "who made it", Field(min_length=1)],
    made_year: Annotated[int, "year it was made", Field(ge=1890, le=2100)],
    runtime_minutes: Annotated[int, "length in minutes", Field(ge=1, le=600)],
    description: Annotated[str, "what is on it", Field(min_length=1)],
) -> Recording:
    """Add a recording that a member brings in.

    Requires: made_year is not later than the current year. The member has no cataloged recording of exactly this name.

    It is cataloged and open; digitized is true for carrier file, false for all others.
    """
    if made_year > int(db.today[:4]):
        raise Rejection.invalid_argument(f"The year {made_year} is later than this year.")
    db.require("member", member_id)
    same = db.first(
        "SELECT recording_id FROM recording WHERE member_id = ? AND name = ? AND status = 'cataloged'", member_id, name
    )
    if same is not None:
        raise Rejection.already_exists(f"Member {member_id!r} has a cataloged recording named {name!r}.")
    recording = db.insert(
        "recording",
        recording_id=db.new_id("recording"),
        member_id=member_id,
        name=name,
        kind=kind,
        carrier=carrier,
        maker=maker,
        made_year=made_year,
        runtime_minutes=runtime_minutes,
        description=description,
        digitized=1 if carrier == "file" else 0,
        access="open",
        status="cataloged",
        created_at=db.now,
    )
    return _with_use(db, recording)


@tool(
    reads=["viewing", "inquiry"], writes=["recording"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def correct_recording(
    db: Database,
    recording_id: Annotated[str, "recording to correct"],
    name: Annotated[str | None, "right name", Field(min_length=1)] = None,
    maker: Annotated[str | None, "who really made it", Field(min_length=1)] = None,
    made_year: Annotated[int | None, "right year", Field(ge=1890, le=2100)] = None,
    description: Annotated[str | None, "right description", Field(min_length=1)] = None,
) -> Recording:
    """Correct what the catalog says of a recording.

    Requires: At least one correction is given. made_year is not later than the current year, if given. The recording is
    cataloged.

    Only the given fields change.
    """
    if name is None and maker is None and made_year is None and description is None:
        raise Rejection.invalid_argument("Give at least one correction.")
    if made_year is not None and made_year > int(db.today[:4]):
        raise Rejection.invalid_argument(f"The year {made_year} is later than this year.")
    recording = _require_cataloged(db, recording_id)
    recording = db.update(
        "recording",
        recording_id,
        name=recording["name"] if name is None else name,
        maker=recording["maker"] if maker is None else maker,
        made_year=recording["made_year"] if made_year is None else made_year,
        description=recording["description"] if description is None else description,
    )
    return _with_use(db, recording)


@tool(reads=["viewing", "inquiry"], writes=["recording"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_access(
    db: Database,
    recording_id: Annotated[str, "recording to change"],
    access: Annotated[Literal["open", "sealed"], "new access"],
) -> Recording:
    """Seal a recording or open it to all members.

    Requires: The recording is cataloged. Its access is different now.

    access changes; access_set_on becomes today.
    """
    recording = _require_cataloged(db, recording_id)
    if recording["access"] == access:
        raise Rejection.failed_precondition(f"Recording {recording_id!r} is {access} already.")
    return _with_use(db, db.update("recording", recording_id, access=access, access_set_on=db.today))


@tool(reads=["viewing", "inquiry"], writes=["recording"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_recording(
    db: Database,
    recording_id: Annotated[str, "recording to withdraw"],
    reason: Annotated[str, "why, in their words", Field(min_length=1)],
) -> Recording:
    """Take a recording out of the archive and give it back to its depositor.

    Requires: The recording is cataloged. Nobody has a booked viewing of it. There is no open inquiry about it.

    status becomes withdrawn; withdrawn_at becomes now; withdrawn_reason becomes the reason.
    """
    recording = _with_use(db, _require_cataloged(db, recording_id))
    if recording["booked_viewings"]:
        raise Rejection.failed_precondition(
            f"Recording {recording_id!r} has {recording['booked_viewings']} booked viewings."
        )
    if recording["open_inquiries"]:
        raise Rejection.failed_precondition(
            f"Recording {recording_id!r} has {recording['open_inquiries']} open inquiries."
        )
    withdrawn = db.update("recording", recording_id, status="withdrawn", withdrawn_at=db.now, withdrawn_reason=reason)
    return _with_use(db, withdrawn)
