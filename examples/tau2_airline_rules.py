"""tau2-bench airline as rules, written from its policy.md alone: no gold, repair or issue list was seen before.

worldsmith audit tau2:airline --data CHECKOUT --world TAU_BENCH/tau_bench/envs/airline/data --rules THIS_FILE
"""

from runtime.rules import Call, rule

TODAY = "2024-05-15"
NOW = "2024-05-15T15:00:00"
YESTERDAY = "2024-05-14T15:00:00"
FREE = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 4)}
CABINS = ("basic_economy", "economy", "business")


def _status(now, flight):
    return now.flights[_of(flight, "flight_number")].dates[_of(flight, "date")].status


def _of(record, name):
    return record[name] if isinstance(record, dict) else getattr(record, name)


def _same_flights(now, call):
    held = {(each.flight_number, each.date) for each in now.reservations[call.item].flights}
    return held == {(_of(each, "flight_number"), _of(each, "date")) for each in call.arguments["flights"]}


@rule("FIVE_PASSENGERS", on={"book_reservation": "passengers"}, most=5)
def five_passengers(call: Call, now, start, most):
    """Each reservation can have at most {most} passengers."""
    return len(call.item) <= most


@rule("PAYMENT_KINDS", on={"book_reservation": "user_id"}, certificates=1, cards=1, gifts=3)
def payment_kinds(call: Call, now, start, certificates, cards, gifts):
    """At most {certificates} travel certificate, at most {cards} credit card, and at most {gifts} gift cards."""
    held = now.users[call.item].payment_methods
    kinds = [held[_of(each, "payment_id")].source for each in call.arguments["payment_methods"]]
    return (
        kinds.count("certificate") <= certificates
        and kinds.count("credit_card") <= cards
        and (kinds.count("gift_card") <= gifts)
    )


@rule("FREE_BAGS_FIRST", on={"book_reservation": "user_id"})
def free_bags_first(call: Call, now, start):
    """Only bags above the free allowance of the member level and cabin are paid for, and all of those."""
    free = FREE[now.users[call.item].membership][CABINS.index(call.arguments["cabin"])]
    allowed = free * len(call.arguments["passengers"])
    return call.arguments["nonfree_baggages"] == max(0, call.arguments["total_baggages"] - allowed)


@rule("FREE_BAGS_LATER", on={"update_reservation_baggages": "reservation_id"})
def free_bags_later(call: Call, now, start):
    """Only bags above the free allowance are paid for when bags are added."""
    held = now.reservations[call.item]
    free = FREE[now.users[held.user_id].membership][CABINS.index(held.cabin)] * len(held.passengers)
    return call.arguments["nonfree_baggages"] == max(0, call.arguments["total_baggages"] - free)


@rule("BAGS_STAY", on={"update_reservation_baggages": "reservation_id"})
def bags_stay(call: Call, now, start):
    """The user can add but not remove checked bags."""
    return call.arguments["total_baggages"] >= now.reservations[call.item].total_baggages


@rule("BASIC_STAYS", on={"update_reservation_flights": "reservation_id"})
def basic_stays(call: Call, now, start):
    """Basic economy flights cannot be modified; a change of the cabin alone is fine."""
    return now.reservations[call.item].cabin != "basic_economy" or _same_flights(now, call)


@rule("ROUTE_STAYS", on={"update_reservation_flights": "reservation_id"})
def route_stays(call: Call, now, start):
    """Flights are modified without changing the origin, the destination, and the trip type."""
    held = now.reservations[call.item]
    flown = [now.flights[_of(each, "flight_number")] for each in call.arguments["flights"]]
    if held.flight_type == "one_way":
        return flown[0].origin == held.origin and flown[-1].destination == held.destination
    ends = held.origin == flown[0].origin and flown[-1].destination == held.origin
    return ends and any(each.destination == held.destination for each in flown)


@rule("CABIN_BEFORE_FLIGHT", on={"update_reservation_flights": "reservation_id"})
def cabin_before_flight(call: Call, now, start):
    """The cabin cannot be changed if any flight in the reservation has already been flown."""
    held = now.reservations[call.item]
    flown = any(_status(now, each) in ("landed", "flying") for each in held.flights)
    return call.arguments["cabin"] == held.cabin or not flown


@rule("CARD_FOR_FLIGHTS", on={"update_reservation_flights": "payment_id"})
def card_for_flights(call: Call, now, start):
    """A change of flights is paid or refunded by a single gift card or credit card."""
    user = now.users[now.reservations[call.arguments["reservation_id"]].user_id]
    return user.payment_methods[call.item].source in ("gift_card", "credit_card")


@rule("SAME_PASSENGERS", on={"update_reservation_passengers": "reservation_id"})
def same_passengers(call: Call, now, start):
    """The user can modify passengers but cannot modify the number of passengers."""
    return len(call.arguments["passengers"]) == len(now.reservations[call.item].passengers)


@rule("NOT_FLOWN", on={"cancel_reservation": "reservation_id"})
def not_flown(call: Call, now, start):
    """If any portion of the flight has already been flown, the agent cannot cancel it."""
    return not any(_status(now, each) in ("landed", "flying") for each in now.reservations[call.item].flights)


@rule("REASON_TO_CANCEL", on={"cancel_reservation": "reservation_id"})
def reason_to_cancel(call: Call, now, start):
    """A flight is cancelled if booked within 24 hours, cancelled by the airline, in business, or insured."""
    held = now.reservations[call.item]
    gone = any(_status(now, each) == "cancelled" for each in held.flights)
    return YESTERDAY <= held.created_at <= NOW or gone or held.cabin == "business" or held.insurance == "yes"


@rule("WHO_IS_COMPENSATED", on={"send_certificate": "user_id"})
def who_is_compensated(call: Call, now, start):
    """Only silver and gold members, insured travelers and those in business are compensated."""
    user = now.users[call.item]
    held = [now.reservations[each] for each in user.reservations if each in now.reservations]
    return user.membership != "regular" or any(each.insurance == "yes" or each.cabin == "business" for each in held)


@rule("AMOUNT_OF_COMPENSATION", on={"send_certificate": "user_id"}, cancelled=100, delayed=50)
def amount_of_compensation(call: Call, now, start, cancelled, delayed):
    """The certificate is ${cancelled} a passenger for cancelled flights, ${delayed} for delayed ones."""
    held = [now.reservations[each] for each in now.users[call.item].reservations if each in now.reservations]
    amounts = set()
    for each in held:
        found = {_status(now, flight) for flight in each.flights}
        amounts |= {cancelled * len(each.passengers)} if "cancelled" in found else set()
        amounts |= {delayed * len(each.passengers)} if "delayed" in found else set()
    return call.arguments["amount"] in amounts
