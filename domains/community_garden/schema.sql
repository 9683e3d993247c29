-- A community garden: gardeners lease plots by the year, pay their charges, and work volunteer shifts.

CREATE TABLE gardener (  -- A person who gardens here
    gardener_id TEXT PRIMARY KEY,  -- Gardener number
    name TEXT NOT NULL,  -- Full name
    email TEXT UNIQUE,  -- Email address
    phone TEXT,  -- Phone number
    zip_code TEXT,  -- Home ZIP code
    membership TEXT NOT NULL CHECK (membership IN ('standard', 'family', 'senior')),  -- Kind of membership
    joined_on TEXT NOT NULL,  -- Date of joining
    tool_trained INTEGER NOT NULL CHECK (tool_trained IN (0, 1))  -- Trained on power tools or not
) STRICT, WITHOUT ROWID;

CREATE TABLE plot (  -- A bed that can be leased
    plot_id TEXT PRIMARY KEY,  -- Plot record
    plot_number TEXT NOT NULL UNIQUE,  -- Number on the sign
    kind TEXT NOT NULL CHECK (kind IN ('ground', 'raised', 'greenhouse')),  -- Kind of bed
    square_feet INTEGER NOT NULL CHECK (square_feet > 0),  -- Size
    rent_cents INTEGER NOT NULL CHECK (rent_cents > 0),  -- Yearly rent
    status TEXT NOT NULL CHECK (status IN ('open', 'leased'))  -- Open, or leased to someone
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (  -- A gardener's right to one plot
    lease_id TEXT PRIMARY KEY,  -- Lease number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who leases
    plot_id TEXT NOT NULL REFERENCES plot ON DELETE RESTRICT,  -- What is leased
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'ended')),  -- Running or over
    started_on TEXT NOT NULL,  -- First day
    ends_on TEXT NOT NULL,  -- Last day
    renewals INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0),  -- Times renewed
    CHECK (ends_on >= started_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX lease_by_gardener ON lease (gardener_id, status);
CREATE INDEX lease_by_plot ON lease (plot_id);
CREATE UNIQUE INDEX lease_active_plot ON lease (plot_id) WHERE status = 'active';

CREATE TABLE charge (  -- An amount that a gardener owes or has paid
    charge_id TEXT PRIMARY KEY,  -- Charge number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who owes it
    kind TEXT NOT NULL CHECK (kind IN ('rent', 'fee', 'supplies')),  -- What it is for
    label TEXT NOT NULL,  -- Words on the bill
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid')),  -- Owed or paid
    due_on TEXT NOT NULL,  -- When it is due
    paid_on TEXT,  -- When it was paid
    CHECK ((status = 'paid') = (paid_on IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_gardener ON charge (gardener_id, status);

CREATE TABLE shift (  -- A volunteer work shift
    shift_id TEXT PRIMARY KEY,  -- Shift number
    title TEXT NOT NULL,  -- Name on the calendar
    task TEXT NOT NULL CHECK (task IN ('weeding', 'composting', 'watering', 'repairs', 'harvest')),  -- Kind of work
    starts_at TEXT NOT NULL,  -- When it starts
    hours INTEGER NOT NULL CHECK (hours > 0),  -- Length in hours
    spots INTEGER NOT NULL CHECK (spots > 0),  -- Places in all
    spots_taken INTEGER NOT NULL DEFAULT 0 CHECK (spots_taken >= 0),  -- Places taken
    CHECK (spots_taken <= spots)
) STRICT, WITHOUT ROWID;

CREATE INDEX shift_by_start ON shift (starts_at);

CREATE TABLE signup (  -- A gardener's place on a shift
    signup_id TEXT PRIMARY KEY,  -- Signup number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who signed up
    shift_id TEXT NOT NULL REFERENCES shift ON DELETE RESTRICT,  -- For which shift
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'canceled', 'done')),  -- What became of it
    canceled_at TEXT,  -- When it was canceled
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX signup_by_gardener ON signup (gardener_id, status);
CREATE INDEX signup_by_shift ON signup (shift_id);
CREATE UNIQUE INDEX signup_booked_once ON signup (gardener_id, shift_id) WHERE status = 'booked';

CREATE TABLE identification (           -- That a caller was identified
    gardener_id   TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (gardener_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    gardener_id   TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (gardener_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
