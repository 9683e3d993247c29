"""Desk: notes about callers, reports and a price suggestion."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Identification(TypedDict):
    member_id: Annotated[str, "who was identified"]
    noted_on: Annotated[Date, "day"]


class DeclinedRequest(TypedDict):
    member_id: Annotated[str, "who asked"]
    subject_id: Annotated[str, "what it was about"]
    rule_code: Annotated[str, "code of the rule"]
    declined_on: Annotated[Date, "day"]


class MemberNotes(TypedDict):
    identifications: Annotated[list[Identification], "identifications noted"]
    declined_requests: Annotated[list[DeclinedRequest], "requests declined"]


class CategorySales(TypedDict):
    category: Annotated[
        Literal["clothing", "electronics", "furniture", "books", "toys", "sports", "household"], "category"
    ]
    purchases: Annotated[int, "completed purchases"]
    price_cents: Annotated[int, "sum of prices, cents"]
    commission_cents: Annotated[int, "sum of commissions, cents"]


class SalesReport(TypedDict):
    categories: Annotated[list[CategorySales], "one per category with sales"]
    purchases: Annotated[int, "completed purchases in all"]
    price_cents: Annotated[int, "sum of prices, cents"]
    average_price_cents: Annotated[float, "average price in cents"]


class SellerRank(TypedDict):
    member_id: Annotated[str, "seller"]
    name: Annotated[str, "name"]
    sales: Annotated[int, "completed sales"]
    price_cents: Annotated[int, "sum of prices, cents"]
    average_rating: Annotated[float, "average of the ratings given"]


class SellerRanking(TypedDict):
    sellers: Annotated[list[SellerRank], "the sellers"]
    total: Annotated[int, "sellers with such sales"]


class Suggestion(TypedDict):
    percent: Annotated[int, "share of the new price"]
    price_cents: Annotated[int, "suggested price in cents"]


_PERCENT = {"new": 80, "like_new": 65, "good": 50, "fair": 30, "for_parts": 10}


def _check_days(from_day, to_day):
    if from_day > to_day:
        raise Rejection.invalid_argument(f"from_day {from_day} is after to_day {to_day}.")


def _average(total, count):
    return round(total / count, 2) if count else 0


@tool(reads=["member", "identification", "declined_request"], rejects=["NOT_FOUND"])
def list_notes(db: Database, member_id: Annotated[str, "the member"]) -> MemberNotes:
    """List identifications and declined requests of a member.

    Both by day, newest first; declined requests of a day by rule_code, then subject_id.
    """
    db.require("member", member_id)
    return {
        "identifications": db.select(
            "SELECT * FROM identification WHERE member_id = ? ORDER BY noted_on DESC", member_id
        ),
        "declined_requests": db.select(
            "SELECT * FROM declined_request WHERE member_id = ? ORDER BY declined_on DESC, rule_code, subject_id",
            member_id,
        ),
    }


@tool(reads=["listing", "purchase"], rejects=["INVALID_ARGUMENT"])
def report_sales(
    db: Database, from_day: Annotated[Date, "first day"], to_day: Annotated[Date, "last day"]
) -> SalesReport:
    """Sum up completed purchases by category.

    Over purchases in state completed whose day of ended_at is in the range; refunds are not taken off. Categories
    without any are left out; by price_cents, highest first, ties by category.
    """
    _check_days(from_day, to_day)
    categories = db.select(
        """
        SELECT category, count(*) AS purchases, sum(purchase.price_cents) AS price_cents,
               sum(commission_cents) AS commission_cents
        FROM purchase JOIN listing USING (listing_id)
        WHERE purchase.state = 'completed' AND substr(ended_at, 1, 10) BETWEEN ? AND ?
        GROUP BY category
        ORDER BY sum(purchase.price_cents) DESC, category
        """,
        from_day,
        to_day,
    )
    count = sum(entry["purchases"] for entry in categories)
    price = sum(entry["price_cents"] for entry in categories)
    return {
        "categories": categories,
        "purchases": count,
        "price_cents": price,
        "average_price_cents": _average(price, count),
    }


@tool(reads=["member", "purchase"], rejects=["INVALID_ARGUMENT"])
def rank_sellers(
    db: Database,
    from_day: Annotated[Date, "first day"],
    to_day: Annotated[Date, "last day"],
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> SellerRanking:
    """Rank the sellers by completed sales.

    Over purchases in state completed whose day of ended_at is in the range; refunds are not taken off. By price_cents,
    highest first, ties by member_id; average_rating is over the rated ones.
    """
    _check_days(from_day, to_day)
    found = db.select(
        """
        SELECT member_id, name, count(*) AS sales, sum(price_cents) AS price_cents,
               count(rating) AS rated, coalesce(sum(rating), 0) AS stars
        FROM purchase JOIN member ON member_id = seller_id
        WHERE purchase.state = 'completed' AND substr(ended_at, 1, 10) BETWEEN ? AND ?
        GROUP BY member_id, name
        ORDER BY sum(price_cents) DESC, member_id
        """,
        from_day,
        to_day,
    )
    sellers = [
        {
            "member_id": row["member_id"],
            "name": row["name"],
            "sales": row["sales"],
            "price_cents": row["price_cents"],
            "average_rating": _average(row["stars"], row["rated"]),
        }
        for row in found[:limit]
    ]
    return {"sellers": sellers, "total": len(found)}


@tool()
def suggest_price(
    db: Database,
    new_price_cents: Annotated[int, "price when new, cents", Field(ge=100)],
    condition: Annotated[Literal["new", "like_new", "good", "fair", "for_parts"], "condition of the item"],
    age_years: Annotated[int, "whole years since bought", Field(ge=0, le=100)],
) -> Suggestion:
    """Suggest an asking price for a used item.

    percent is 80 for new, 65 like_new, 50 good, 30 fair, 10 for_parts, less 3 per year of age, but at least 5.
    price_cents is percent of new_price_cents, rounded down to whole cents.
    """
    percent = max(5, _PERCENT[condition] - 3 * age_years)
    return {"percent": percent, "price_cents": new_price_cents * percent // 100}
