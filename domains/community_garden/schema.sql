-- A community garden: gardeners lease plots by the year, owe charges, and sign up for volunteer work shifts.

CREATE TABLE gardener (  -- A person who gardens here
    gardener_id TEXT PRIMARY KEY,  -- Gardener number
    full_name TEXT NOT NULL,  -- First and last name
    email TEXT NOT NULL UNIQUE,  -- Email address, no two alike in any case
    phone TEXT NOT NULL,  -- Phone, as 503-555-0142
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- Five digits
    tier TEXT NOT NULL DEFAULT 'standard' CHECK (tier IN ('standard', 'senior', 'reduced')),  -- Price tier
    joined_on TEXT NOT NULL  -- Day the gardener joined
) STRICT, WITHOUT ROWID;

CREATE TABLE plot (  -- A piece of ground that is leased
    plot_id TEXT PRIMARY KEY,  -- Plot number
    label TEXT NOT NULL UNIQUE,  -- Label on the stake, such as A-12
    section TEXT NOT NULL CHECK (section IN ('north', 'south', 'creekside')),  -- Part of the garden
    size_sqft INTEGER NOT NULL CHECK (size_sqft > 0),  -- Square feet
    raised_bed INTEGER NOT NULL DEFAULT 0 CHECK (raised_bed IN (0, 1)),  -- 1 for a raised bed, 0 for a ground plot
    yearly_fee_cents INTEGER NOT NULL CHECK (yearly_fee_cents > 0),  -- Full fee for a year
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'leased', 'needs_cleanup'))  -- Leased while a lease on it is active
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (  -- A gardener's right to a plot
    lease_id TEXT PRIMARY KEY,  -- Lease number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who leases
    plot_id TEXT NOT NULL REFERENCES plot ON DELETE RESTRICT,  -- Plot leased
    starts_on TEXT NOT NULL,  -- First day
    expires_on TEXT NOT NULL,  -- Last day, a year after the start or the last renewal
    renewals INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0),  -- Times renewed
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'ended')),  -- Whether it still holds its plot
    sign_text TEXT,  -- Words on the plot's sign
    ended_on TEXT,  -- Day it was ended
    end_reason TEXT,  -- Why it was ended
    CHECK (expires_on > starts_on),
    CHECK ((state = 'ended') = (ended_on IS NOT NULL)),
    CHECK ((ended_on IS NULL) = (end_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX lease_by_gardener ON lease (gardener_id, state);
CREATE INDEX lease_by_plot ON lease (plot_id);
CREATE UNIQUE INDEX lease_active_on_plot ON lease (plot_id) WHERE state = 'active';

CREATE TABLE charge (  -- An amount that a gardener owes or has settled
    charge_id TEXT PRIMARY KEY,  -- Charge number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who owes it
    lease_id TEXT REFERENCES lease ON DELETE RESTRICT,  -- Lease it is for, of the same gardener
    kind TEXT NOT NULL CHECK (kind IN ('lease_fee', 'late_fee', 'cleanup_fee', 'missed_shift_fee', 'key_fee')),  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000),  -- Amount
    note TEXT,  -- Remark
    due_on TEXT NOT NULL,  -- Day it is due
    state TEXT NOT NULL DEFAULT 'unpaid' CHECK (state IN ('unpaid', 'paid', 'waived')),  -- Owed or settled
    created_at TEXT NOT NULL,  -- When it was recorded
    settled_at TEXT,  -- When it was paid or waived
    method TEXT CHECK (method IN ('card', 'cash', 'check', 'waiver')),  -- How it was settled
    CHECK (due_on >= substr(created_at, 1, 10)),
    CHECK ((state = 'unpaid') = (settled_at IS NULL)),
    CHECK ((settled_at IS NULL) = (method IS NULL)),
    CHECK ((state = 'waived') = (method = 'waiver')),
    CHECK (settled_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_gardener ON charge (gardener_id, state);
CREATE INDEX charge_by_lease ON charge (lease_id);

CREATE TABLE shift (  -- A volunteer work session
    shift_id TEXT PRIMARY KEY,  -- Shift number
    title TEXT NOT NULL,  -- The work, such as Compost turning
    starts_at TEXT NOT NULL,  -- Start
    hours INTEGER NOT NULL CHECK (hours BETWEEN 1 AND 8),  -- Length in whole hours
    spots INTEGER NOT NULL CHECK (spots > 0),  -- People it can take
    state TEXT NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'closed'))  -- Closed once it is recorded who worked
) STRICT, WITHOUT ROWID;

CREATE INDEX shift_by_start ON shift (starts_at);

CREATE TABLE signup (  -- A gardener's place in a shift
    signup_id TEXT PRIMARY KEY,  -- Signup number
    gardener_id TEXT NOT NULL REFERENCES gardener ON DELETE RESTRICT,  -- Who signed up
    shift_id TEXT NOT NULL REFERENCES shift ON DELETE RESTRICT,  -- The shift
    people INTEGER NOT NULL DEFAULT 1 CHECK (people BETWEEN 1 AND 6),  -- People who come, the gardener included
    note TEXT,  -- Note for the shift leader
    state TEXT NOT NULL DEFAULT 'signed_up' CHECK (state IN ('signed_up', 'worked', 'missed', 'canceled')),  -- Open, or what became of it
    created_at TEXT NOT NULL,  -- When the gardener signed up
    canceled_at TEXT,  -- When it was canceled
    cancel_reason TEXT,  -- Why it was canceled
    CHECK ((state = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (cancel_reason IS NULL OR canceled_at IS NOT NULL),
    CHECK (canceled_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX signup_by_gardener ON signup (gardener_id, state);
CREATE INDEX signup_by_shift ON signup (shift_id, state);
CREATE UNIQUE INDEX signup_open_once ON signup (gardener_id, shift_id) WHERE state = 'signed_up';

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
