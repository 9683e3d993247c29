"""TITLE"""

from typing import Any

from runtime import WorldBuilder, add_days

TABLES: dict[str, dict[str, Any]] = {}
GIVEN_NAMES: tuple[str, ...] = ()
FAMILY_NAMES: tuple[str, ...] = ()
DAYS = 120  # by which the dates of a copy may be earlier


def populate(world: WorldBuilder) -> None:
    """Fill the tables with given rows, and with copies that have keys, references, names and dates of their own."""
    counts = {name: count_rows(world, table) for name, table in TABLES.items()}
    for name, table in TABLES.items():
        for parent in table["single"]:  # some rows stay free for what is added later
            counts[parent] = max(3, counts[parent])
            counts[name] = max(2, min(counts[name], counts[parent] * 2 // 3))
    made: dict[str, list[Any]] = {name: [] for name in TABLES}
    places: dict[str, dict[int, Any]] = {name: {} for name in TABLES}  # given rows by the place of their pattern
    seen: dict[str, list[set[Any]]] = {name: [set() for _ in table["unique"]] for name, table in TABLES.items()}
    origins: dict[str, list[Any]] = {name: [] for name in TABLES}
    for name, table in TABLES.items():
        order = world.random.sample(range(len(table["rows"])), len(table["rows"]))
        for number in range(counts[name]):
            for attempt in range(24):
                is_given = attempt == 0 and number < len(order) and (world.size < 30 or world.random.random() < 0.4)
                at = order[number] if is_given else world.random.choice(order)
                values, parents = table["rows"][at]
                row = dict(zip(table["columns"], values, strict=True))
                if not is_given:
                    vary(world, table, row, number, attempt)
                if table["key"] and not (is_given and table["key"] in row):  # a key above those of given rows
                    key = table["greatest"] + 1 + len(made[name]) - (len(places[name]) if table["key"] in row else 0)
                    row[table["key"]] = f"{name.upper()}-{key:04d}" if table["named"] else key
                is_placed = refer(world, table, row, at, parents, is_given, made, places)
                if not is_placed or is_taken(table, row, seen[name], table["columns"]):
                    continue
                made[name].append(row)
                origins[name].append(parents if is_given else [None if place is None else -1 for place in parents])
                if is_given:
                    places[name][at] = row
                break
    for name in TABLES:
        for number, row in enumerate(made[name]):
            refer_ahead(world, name, row, number, origins[name][number], made, places, seen[name])
    for name, table in TABLES.items():
        for row in made[name]:
            waiting = {column: None for column in table["waiting"]}  # noqa: C420
            world.insert(name, **row | waiting)
        if table["key"]:
            world.count(name, table["greatest"] + len(made[name]))
    for name, table in TABLES.items():
        for row in made[name]:
            if values := {each: row[each] for each in table["waiting"] if row[each] is not None}:
                world.update(name, *[row[column] for column in table["keys"]], **values)


def count_rows(world: WorldBuilder, table: Any) -> int:
    given = len(table["rows"])
    if table["fixed"]:  # a short list that everything else refers to
        return max(1, min(given, 2 + world.size // 10))
    wanted = round(world.size * table["share"] * world.random.uniform(0.9, 1.1))
    return int(max(1, min(given, 2 + world.size // 30), wanted))


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
    offset = world.random.randrange(-DAYS, 1)
    for column in table["dates"]:
        if row[column] is not None:
            row[column] = add_days(row[column], offset)
    for column in table["fresh"]:
        if row[column] == str(row[column]):  # a text
            longest = table["longest"].get(column, 200)
            row[column] = other_value(world, row[column], number + 10_000 * attempt, longest, given, family)
        elif row[column] is not None:
            row[column] += 1_000 + number + 10_000 * attempt
            least, most = table["limits"].get(column, (0, row[column]))
            if row[column] > most:
                row[column] = least + (number + 7 * attempt) % max(1, int(most - least))


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
    if value[4:5] == value[7:8] == "-" and value[:10].replace("-", "").isdecimal():
        try:
            return add_days(value, -number - 1)
        except ValueError:
            pass  # a code, not a date
    digits, head = str(number + 11), value.rstrip("0123456789")
    many, letters = len(value) - len(head), ""
    if len(value) == 36 and value.count("-") == 4:
        return value[: 36 - len(digits)] + digits
    if head.endswith(":"):  # a time of day
        return f"{head}{world.random.randrange(60):02d}"
    if many > 1:
        letters = "0123456789"
    elif value.isupper() and value.isalpha():
        head, many, letters = "", len(value), "ABCDEFGHJKLMNPRSTUVWXYZ"
    elif longest < len(digits) + 2:
        head, many, letters = "", longest, "abcdefghjkmnpqrstuvwxyz23456789"
    if letters:
        return head + "".join([world.random.choice(letters) for _ in range(many)])
    joined = " " if " " in value else ""
    return value[: longest - len(digits) - 1].rstrip() + joined + digits


def refer(
    world: WorldBuilder, table: Any, row: Any, at: int, parents: Any, is_given: bool, made: Any, places: Any
) -> bool:
    """Point a row to rows that exist, all of which agree on the columns that they share; False if there are none."""
    fixed: dict[str, Any] = {}
    for place, (columns, parent, theirs, required, is_ahead) in zip(parents, table["references"], strict=True):
        if is_ahead or (place is None and not required):
            continue
        others: Any = [row] if parent == table["name"] else []
        if is_given and place in places[parent]:
            others = [places[parent][place]]
        elif made[parent] and not (is_given and place == at and parent == table["name"]):
            others = (world.random.choice(referable(made[parent])) for _ in range(13))
        elif not others and not required:
            continue
        for other in others:
            chosen = {own: other[column] for own, column in zip(columns, theirs, strict=True)}
            if all(fixed.get(own, value) == value for own, value in chosen.items()):
                row.update(chosen)
                fixed |= chosen
                break
        else:
            return False
    return True


def refer_ahead(
    world: WorldBuilder, name: str, row: Any, number: int, parents: Any, made: Any, places: Any, seen: Any
) -> None:
    """Point a row to rows that were made after it, and to others of its own table."""
    table = TABLES[name]
    for place, (columns, parent, theirs, required, is_ahead) in zip(parents, table["references"], strict=True):
        if not is_ahead or (place is None and not required):
            continue
        others = made[parent][:number] if parent == name else referable(made[parent])
        tried = [places[parent][place]] if place in places[parent] else []
        if required or not (tried or (parent == name and place != -1)):  # another row might be below a given one
            tried += [world.random.choice(others) for _ in range(12 if others else 0)] + (others if required else [])
        for other in tried:
            chosen = {own: other[column] for own, column in zip(columns, theirs, strict=True)}
            fits = all(row[own] is None or row[own] == value for own, value in chosen.items())
            if fits and not is_taken(table, row | chosen, seen, columns):
                row.update(chosen)
                break


def referable(rows: Any) -> Any:
    """Return the rows that others may refer to: not the last of many, so that something can be deleted."""
    return rows[: max(3, len(rows) - len(rows) // 8)]


def is_taken(table: Any, row: Any, seen: Any, columns: Any) -> bool:
    """Return whether a unique value with one of these columns is taken; note those of the row if none is."""
    concerned = [
        (tuple([row[each] for each in names]), known)
        for names, known in zip(table["unique"], seen, strict=True)
        if any(each in columns for each in names)
    ]
    if any(None not in value and value in known for value, known in concerned):
        return True
    for value, known in concerned:
        known.add(value)
    return False
