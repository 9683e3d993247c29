-- A county conservation district: landowners get a share of the cost of practices on their fields, rent machines, order seedlings and test soil.

CREATE TABLE landowner (  -- A farmer or other landowner who deals with the district
    landowner_id TEXT PRIMARY KEY,  -- Landowner number
    name TEXT NOT NULL CHECK (length(name) > 0),  -- Full name
    email TEXT NOT NULL UNIQUE CHECK (length(email) > 0),  -- Email
    phone TEXT NOT NULL UNIQUE CHECK (length(phone) > 0),  -- Phone number, as (740) 555-0123
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- ZIP code of the mailing address
    mailing_address TEXT NOT NULL CHECK (length(mailing_address) > 0),  -- Mailing address
    kind TEXT NOT NULL CHECK (kind IN ('farm', 'beginning_farm', 'household')),  -- Kind of account
    tractor_horsepower INTEGER NOT NULL DEFAULT 0 CHECK (tractor_horsepower BETWEEN 0 AND 700),  -- Largest tractor on file, 0 if none
    since TEXT NOT NULL  -- Day the landowner first dealt with the district
) STRICT, WITHOUT ROWID;

CREATE TABLE charge (  -- An amount on a landowner's account
    charge_id TEXT PRIMARY KEY,  -- Charge number
    landowner_id TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Whose account
    kind TEXT NOT NULL CHECK (kind IN ('rental', 'late_cancellation', 'late_return', 'cleaning', 'contract_breach')),  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'waived')),  -- Owed, paid or forgiven
    method TEXT CHECK (method IN ('card', 'check', 'cash')),  -- How it was paid
    created_at TEXT NOT NULL,  -- When it was put on the account
    settled_at TEXT CHECK (settled_at >= created_at),  -- When it was paid or waived
    CHECK ((status = 'paid') = (method IS NOT NULL)),
    CHECK ((status = 'open') = (settled_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_landowner ON charge (landowner_id, status);

CREATE TABLE field (  -- A piece of a landowner's land
    field_id TEXT PRIMARY KEY,  -- Field number
    landowner_id TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Its owner
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 60),  -- What the owner calls it
    acres INTEGER NOT NULL CHECK (acres BETWEEN 1 AND 2000),  -- Whole acres
    land_use TEXT NOT NULL CHECK (land_use IN ('crops', 'hay', 'pasture', 'woods')),  -- What it is used for
    by_stream INTEGER NOT NULL DEFAULT 0 CHECK (by_stream IN (0, 1))  -- Whether it touches a stream
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX field_name_of_landowner ON field (landowner_id, name);

CREATE TABLE soil_test (  -- A soil test of a field
    soil_test_id TEXT PRIMARY KEY,  -- Test number
    field_id TEXT NOT NULL REFERENCES field ON DELETE RESTRICT,  -- Field tested
    kind TEXT NOT NULL CHECK (kind IN ('standard', 'complete')),  -- Which test
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price of the test
    status TEXT NOT NULL DEFAULT 'ordered' CHECK (status IN ('ordered', 'reported')),  -- Waiting for the result or not
    ph REAL CHECK (ph BETWEEN 3 AND 10),  -- pH, to 1 decimal
    phosphorus_ppm INTEGER CHECK (phosphorus_ppm BETWEEN 0 AND 500),  -- Phosphorus, parts per million
    created_at TEXT NOT NULL,  -- When it was ordered
    reported_at TEXT CHECK (reported_at >= created_at),  -- When the result was put on file
    CHECK ((status = 'reported') = (ph IS NOT NULL)),
    CHECK ((status = 'reported') = (phosphorus_ppm IS NOT NULL)),
    CHECK ((status = 'reported') = (reported_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX soil_test_by_field ON soil_test (field_id, status);
CREATE UNIQUE INDEX one_ordered_test_per_field ON soil_test (field_id) WHERE status = 'ordered';

CREATE TABLE practice (  -- A conservation practice we share the cost of
    practice_id TEXT PRIMARY KEY,  -- Practice number
    name TEXT NOT NULL UNIQUE CHECK (length(name) > 0),  -- Name
    unit TEXT NOT NULL CHECK (unit IN ('acre', 'foot', 'each')),  -- What it is measured in
    cost_cents INTEGER NOT NULL CHECK (cost_cents > 0),  -- Usual cost of one unit
    share_percent INTEGER NOT NULL CHECK (share_percent BETWEEN 1 AND 100),  -- Percent of the cost that we pay
    land_use TEXT CHECK (land_use IN ('crops', 'hay', 'pasture', 'woods')),  -- Only for this use, null for any
    funds_left_cents INTEGER NOT NULL CHECK (funds_left_cents >= 0)  -- Money left that is not set aside
) STRICT, WITHOUT ROWID;

CREATE TABLE contract (  -- A landowner's application or contract to install a practice on a field
    contract_id TEXT PRIMARY KEY,  -- Contract number
    landowner_id TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Who holds it
    field_id TEXT NOT NULL REFERENCES field ON DELETE RESTRICT,  -- Field to treat
    practice_id TEXT NOT NULL REFERENCES practice ON DELETE RESTRICT,  -- Practice to install
    units INTEGER NOT NULL CHECK (units BETWEEN 1 AND 20000),  -- Units covered
    share_cents INTEGER NOT NULL CHECK (share_cents >= 0),  -- Most that we pay
    status TEXT NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'approved', 'completed', 'canceled')),  -- How far it is
    finish_by TEXT NOT NULL,  -- Day to finish the work
    extensions INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0),  -- Times finish_by was moved later
    spent_cents INTEGER CHECK (spent_cents > 0),  -- What the landowner spent in all
    paid_cents INTEGER CHECK (paid_cents >= 0),  -- What we paid
    created_at TEXT NOT NULL,  -- When it was applied for
    approved_at TEXT CHECK (approved_at >= created_at),  -- When it was approved
    completed_at TEXT CHECK (completed_at >= approved_at),  -- When it was closed and paid
    canceled_at TEXT CHECK (canceled_at >= created_at),  -- When it was canceled
    CHECK (finish_by > substr(created_at, 1, 10)),
    CHECK (paid_cents <= share_cents),
    CHECK (paid_cents <= spent_cents),
    CHECK (status <> 'applied' OR approved_at IS NULL),
    CHECK (status NOT IN ('approved', 'completed') OR approved_at IS NOT NULL),
    CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CHECK ((status = 'completed') = (spent_cents IS NOT NULL)),
    CHECK ((status = 'completed') = (paid_cents IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX contract_by_landowner ON contract (landowner_id, status);
CREATE INDEX contract_by_field ON contract (field_id, status);
CREATE INDEX contract_by_practice ON contract (practice_id, status);
CREATE UNIQUE INDEX one_open_contract_per_practice ON contract (field_id, practice_id) WHERE status IN ('applied', 'approved');

CREATE TABLE equipment (  -- A machine we rent out
    equipment_id TEXT PRIMARY KEY,  -- Equipment number
    name TEXT NOT NULL UNIQUE CHECK (length(name) > 0),  -- Name
    kind TEXT NOT NULL CHECK (kind IN ('drill', 'crimper', 'planter', 'spreader', 'sprayer')),  -- Kind
    rate_cents INTEGER NOT NULL CHECK (rate_cents > 0),  -- Price per acre
    minimum_cents INTEGER NOT NULL CHECK (minimum_cents > 0),  -- Least a rental costs
    horsepower_needed INTEGER NOT NULL CHECK (horsepower_needed BETWEEN 0 AND 700),  -- Least tractor horsepower
    status TEXT NOT NULL DEFAULT 'available' CHECK (status IN ('available', 'out', 'in_repair'))  -- In the yard, with a landowner, or in repair
) STRICT, WITHOUT ROWID;

CREATE TABLE rental (  -- A landowner's rental of a machine
    rental_id TEXT PRIMARY KEY,  -- Rental number
    landowner_id TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Who rents
    equipment_id TEXT NOT NULL REFERENCES equipment ON DELETE RESTRICT,  -- Machine
    pickup_on TEXT NOT NULL,  -- First day
    return_on TEXT NOT NULL,  -- Last day
    status TEXT NOT NULL DEFAULT 'reserved' CHECK (status IN ('reserved', 'out', 'returned', 'canceled')),  -- How far it is
    acres INTEGER CHECK (acres BETWEEN 1 AND 2000),  -- Acres done
    fee_cents INTEGER CHECK (fee_cents > 0),  -- What it cost
    created_at TEXT NOT NULL,  -- When it was reserved
    picked_up_at TEXT CHECK (picked_up_at >= created_at),  -- When the machine was handed over
    returned_at TEXT CHECK (returned_at >= picked_up_at),  -- When the machine came back
    canceled_at TEXT CHECK (canceled_at >= created_at),  -- When it was canceled
    CHECK (return_on >= pickup_on),
    CHECK (pickup_on >= substr(created_at, 1, 10)),
    CHECK ((status IN ('out', 'returned')) = (picked_up_at IS NOT NULL)),
    CHECK ((status = 'returned') = (returned_at IS NOT NULL)),
    CHECK ((status = 'returned') = (acres IS NOT NULL)),
    CHECK ((status = 'returned') = (fee_cents IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX rental_by_landowner ON rental (landowner_id, status);
CREATE INDEX rental_by_equipment ON rental (equipment_id, status, pickup_on);

CREATE TABLE seedling (  -- A tree or shrub species in the spring sale
    seedling_id TEXT PRIMARY KEY,  -- Seedling number
    species TEXT NOT NULL UNIQUE CHECK (length(species) > 0),  -- Common name
    kind TEXT NOT NULL CHECK (kind IN ('hardwood', 'conifer', 'shrub')),  -- Kind
    bundle_size INTEGER NOT NULL CHECK (bundle_size > 0),  -- Seedlings in a bundle
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price of a bundle
    bundles_left INTEGER NOT NULL CHECK (bundles_left >= 0),  -- Bundles left to order
    wet_ground INTEGER NOT NULL DEFAULT 0 CHECK (wet_ground IN (0, 1))  -- Whether it grows in wet ground
) STRICT, WITHOUT ROWID;

CREATE TABLE seedling_order (  -- A landowner's order of bundles of one species
    seedling_order_id TEXT PRIMARY KEY,  -- Order number
    landowner_id TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Who ordered
    seedling_id TEXT NOT NULL REFERENCES seedling ON DELETE RESTRICT,  -- Species
    bundles INTEGER NOT NULL CHECK (bundles BETWEEN 1 AND 40),  -- Bundles ordered
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price of the order
    pickup_day TEXT NOT NULL CHECK (pickup_day IN ('friday', 'saturday')),  -- Day of pickup, April 17 or 18
    status TEXT NOT NULL DEFAULT 'reserved' CHECK (status IN ('reserved', 'canceled')),  -- Still wanted or not
    created_at TEXT NOT NULL,  -- When it was ordered
    canceled_at TEXT CHECK (canceled_at >= created_at),  -- When it was canceled
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX seedling_order_by_landowner ON seedling_order (landowner_id, status);
CREATE INDEX seedling_order_by_seedling ON seedling_order (seedling_id, status);
CREATE UNIQUE INDEX one_reserved_order_per_seedling ON seedling_order (landowner_id, seedling_id) WHERE status = 'reserved';

CREATE TABLE identification (           -- That a caller was identified
    landowner_id  TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (landowner_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    landowner_id  TEXT NOT NULL REFERENCES landowner ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (landowner_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
