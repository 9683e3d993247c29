"""Cards: what a member may change of their own."""

from typing import Annotated

from runtime import Database, Field, TypedDict, tool


class NewPhone(TypedDict):
    member_id: Annotated[str, "Whose number it is"]
    phone: Annotated[str, "Number for notices"]


@tool(writes=["member"], rejects=["NOT_FOUND"])
def change_phone(
    db: Database,
    member_id: Annotated[str, "Whose number changes"],
    phone: Annotated[str, "New phone number for notices", Field(min_length=3, max_length=40)],
) -> NewPhone:
    """Change the phone number on a member's card."""
    db.require("member", member_id)
    member = db.update("member", member_id, phone=phone.strip())
    return {"member_id": member_id, "phone": member["phone"]}
