"""TITLE"""

from typing import Any

from runtime import WorldBuilder, add_days

TABLES: dict[str, dict[str, Any]] = {}
GIVEN_NAMES: tuple[str, ...] = ()
FAMILY_NAMES: tuple[str, ...] = ()


def populate(world: WorldBuilder) -> None:
    """Fill the tables with given rows, and with copies that have keys, references, names and dates of their own."""
    counts = {name: count_rows(world, table) for name, table in TABLES.items()}
    for name, table in TABLES.items():
        for parent in table["single"]:  # some rows stay free for what is added later
            counts[parent] = max(3, counts[parent])
            counts[name] = max(2, min(counts[name], counts[parent] * 2 // 3))
    made: dict[str, list[Any]] = {name: [] for name in TABLES}
    places: dict[str, dict[int, Any]] = {name: {} for name in TABLES}
    for name, table in TABLES.items():
        seen: list[set[Any]] = [set() for _ in table["unique"]]
        order = world.random.sample(range(len(table["rows"])), len(table["rows"]))
        for number in range(counts[name]):
            for attempt in range(24):
                is_given = attempt == 0 and number < len(order) and (world.size < 30 or world.random.random() < 0.4)
                at = order[number] if is_given else world.random.choice(order)
                values, parents = table["rows"][at]
                row = dict(zip(table["columns"], values, strict=True))
                if not is_given:
                    vary(world, table, row, number, attempt)
                key = make_key(name, table, len(made[name]) + 1)
                if not refer(world, table, row, parents, is_given, made, places, counts, key):
                    continue
                if is_taken(table, row, seen):
                    continue
                if table["numbered"]:
                    row[table["key"]] = key
                made[name].append(world.insert(name, **row))
                if is_given:
                    places[name][at] = made[name][-1]
                break


def count_rows(world: WorldBuilder, table: Any) -> int:
    given = len(table["rows"])
    if table["fixed"]:  # a short list that everything else refers to
        return max(1, min(given, 2 + world.size // 10))
    wanted = round(world.size * table["share"] * world.random.uniform(0.9, 1.1))
    return int(max(1, min(given, 2 + world.size // 30), wanted))


def make_key(name: str, table: Any, number: int) -> Any:
    return f"{name.upper()}-{number:04d}" if table["named"] else number


def vary(world: WorldBuilder, table: Any, row: Any, number: int, attempt: int) -> None:
    """Give a copy of a row a name, dates, amounts and unique values of its own."""
    given, family = world.random.choice(GIVEN_NAMES), world.random.choice(FAMILY_NAMES)
    middle = f" {'ABCDEFGHJKLMNPRSTW'[attempt % 18]}." if attempt > 3 else ""
    for column, what in table["people"].items():
        if row[column] is not None:
            row[column] = {"given": given + middle, "family": family, "full": f"{given}{middle} {family}"}[what]
    if table["label"] and row[table["label"]] is not None:
        row[table["label"]] = blended(world, table, row[table["label"]], number if attempt > 3 else 0)
    for column in table["swapped"]:
        if row[column] is not None and world.random.random() < 0.5:
            values, _ = world.random.choice(table["rows"])
            other = values[table["columns"].index(column)]
            row[column] = row[column] if other is None else other
    offset = world.random.randrange(-table["days"], 1)
    for column in table["dates"]:
        if row[column] is not None:
            row[column] = add_days(row[column], offset)
    for column in table["fresh"]:
        if row[column] is not None and column in table["numbers"]:
            row[column] += 1_000 + number + 10_000 * attempt
        elif row[column] is not None:
            longest = table["longest"].get(column, 200)
            row[column] = other_value(world, row[column], number + 10_000 * attempt, longest, given, family)


def blended(world: WorldBuilder, table: Any, value: str, number: int) -> str:
    """Join the beginning of one name and the end of another."""
    values, _ = world.random.choice(table["rows"])
    other = values[table["columns"].index(table["label"])] or value
    first, last = value.split(), other.split()
    half = (len(first) + 1) // 2
    words = first[:half] + last[len(last) // 2 :] if len(first) > 1 or len(last) > 1 else first
    tail = f" {number + 2}" if number else ""
    return " ".join(words)[: table["longest"].get(table["label"], 200) - len(tail)].rstrip() + tail


def other_value(world: WorldBuilder, value: str, number: int, longest: int, given: str, family: str) -> str:
    """Make another text that looks alike."""
    if "@" in value:
        host = value.split("@")[-1]
        return f"{given}.{family}{number + 2}".lower()[: max(1, longest - len(host) - 1)] + f"@{host}"
    digits = str(number + 11)
    if value[4:5] == value[7:8] == "-" and value[:10].replace("-", "").isdecimal():
        try:
            return add_days(value, -number - 1)
        except ValueError:
            pass  # a code, not a date
    if len(value) == 36 and value.count("-") == 4:
        return value[: 36 - len(digits)] + digits
    head = value.rstrip("0123456789")
    if head.endswith(":"):  # a time of day
        return f"{head}{world.random.randrange(60):02d}"
    if len(value) - len(head) > 1:
        return head + "".join([world.random.choice("0123456789") for _ in range(len(value) - len(head))])
    if value.isupper() and value.isalpha():
        return "".join([world.random.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in value])
    if longest < len(digits) + 2:
        return "".join([world.random.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(longest)])
    joined = " " if " " in value else ""
    return value[: longest - len(digits) - 1].rstrip() + joined + digits


def refer(
    world: WorldBuilder,
    table: Any,
    row: Any,
    parents: Any,
    is_given: bool,
    made: Any,
    places: Any,
    counts: Any,
    key: Any,
) -> bool:
    """Point a row to rows that exist; False if it needs one and there is none."""
    fixed: set[str] = set()
    for at, (columns, parent, theirs, required, ahead) in enumerate(table["references"]):
        place = parents[at]
        if place is None and not required:
            chosen = {column: None for column in theirs}  # noqa: C420
        elif ahead:  # a circle: keys are counted, so that those to come are known
            number = world.random.randrange(max(1, counts[parent] // 2)) + 1
            chosen = {theirs[0]: make_key(parent, TABLES[parent], number)}
        elif is_given and place in places[parent]:
            chosen = places[parent][place]
        elif made[parent]:
            chosen = fitting(world, referable(made[parent]), row, columns, theirs, fixed)
        elif required and parent == table["name"]:
            chosen = {theirs[0]: key}
        elif required:
            return False
        else:
            chosen = {column: None for column in theirs}  # noqa: C420
        for own, column in zip(columns, theirs, strict=True):
            if own in fixed and chosen[column] is not None and row[own] != chosen[column]:
                return False
            row[own] = row[own] if own in fixed and chosen[column] is None else chosen[column]
            fixed.add(own)
    return True


def referable(rows: Any) -> Any:
    """Return the rows that others may refer to: not the last of many, so that something can be deleted."""
    return rows[: max(3, len(rows) - len(rows) // 8)]


def fitting(world: WorldBuilder, rows: Any, row: Any, columns: Any, theirs: Any, fixed: Any) -> Any:
    """Return a row that agrees with the columns that an earlier reference has set."""
    chosen = world.random.choice(rows)
    for _ in range(12):
        if all(own not in fixed or row[own] == chosen[name] for own, name in zip(columns, theirs, strict=True)):
            return chosen
        chosen = world.random.choice(rows)
    return chosen


def is_taken(table: Any, row: Any, seen: Any) -> bool:
    """Return whether a unique value is taken; note those of the row if none is."""
    values = [tuple([row[column] for column in columns]) for columns in table["unique"]]
    for each, known in zip(values, seen, strict=True):
        if None not in each and each in known:
            return True
    for each, known in zip(values, seen, strict=True):
        known.add(each)
    return False
