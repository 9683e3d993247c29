-- An express parcel carrier in Denver: customers book shipments, couriers collect and deliver them, and the desk keeps claims and accounts.

CREATE TABLE customer (  -- A sender with an account
    customer_id TEXT PRIMARY KEY,  -- Account number
    full_name TEXT NOT NULL,  -- First and last name
    email TEXT NOT NULL UNIQUE,  -- Email address, unique in any case
    phone TEXT NOT NULL UNIQUE,  -- Phone, as 303-555-0142
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- Billing zip code
    tier TEXT NOT NULL DEFAULT 'standard' CHECK (tier IN ('standard', 'plus', 'business')),  -- Account tier
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),  -- Whether the account may be used
    joined_on TEXT NOT NULL  -- Day the account was opened
) STRICT, WITHOUT ROWID;

CREATE TABLE courier (  -- A driver of one depot
    courier_id TEXT PRIMARY KEY,  -- Courier number
    full_name TEXT NOT NULL,  -- First and last name
    depot TEXT NOT NULL CHECK (depot IN ('north', 'south', 'airport')),  -- Home depot
    capacity_parcels INTEGER NOT NULL CHECK (capacity_parcels BETWEEN 1 AND 200),  -- Most parcels on a route
    UNIQUE (depot, full_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE pickup (  -- An appointment to collect booked shipments from their sender
    pickup_id TEXT PRIMARY KEY,  -- Pickup number
    customer_id TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,  -- Sender
    pickup_on TEXT NOT NULL,  -- Day of the pickup
    window TEXT NOT NULL CHECK (window IN ('morning', 'afternoon', 'evening')),  -- Part of the day
    state TEXT NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'completed', 'canceled')),  -- State of the appointment
    courier_id TEXT REFERENCES courier ON DELETE RESTRICT,  -- Courier who collected the shipments
    completed_at TEXT,  -- When the shipments were collected
    reschedule_count INTEGER NOT NULL DEFAULT 0 CHECK (reschedule_count >= 0),  -- Times the pickup was moved
    CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
    CHECK ((state = 'completed') = (courier_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX pickup_by_customer ON pickup (customer_id, pickup_on);
CREATE INDEX pickup_by_courier ON pickup (courier_id);

CREATE TABLE route (  -- A courier's delivery tour on one day
    route_id TEXT PRIMARY KEY,  -- Route number
    courier_id TEXT NOT NULL REFERENCES courier ON DELETE RESTRICT,  -- Who drives it
    depot TEXT NOT NULL CHECK (depot IN ('north', 'south', 'airport')),  -- Depot it starts from
    route_on TEXT NOT NULL,  -- Day of the route
    state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'started', 'finished')),  -- State of the route
    UNIQUE (courier_id, route_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX route_by_courier ON route (courier_id);
CREATE INDEX route_by_day ON route (route_on, depot);

CREATE TABLE shipment (  -- One parcel from booking to its final state
    shipment_id TEXT PRIMARY KEY,  -- Shipment number
    tracking_number TEXT NOT NULL UNIQUE,  -- Number on the label, EXP- and the shipment number
    customer_id TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,  -- Sender
    recipient_name TEXT NOT NULL,  -- Who receives it
    street TEXT NOT NULL,  -- Street and number of delivery
    city TEXT NOT NULL,  -- City of delivery
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- Zip code of delivery
    service TEXT NOT NULL CHECK (service IN ('same_day', 'overnight', 'two_day', 'ground')),  -- Service level
    weight_grams INTEGER NOT NULL CHECK (weight_grams BETWEEN 1 AND 70000),  -- Weight of the parcel
    declared_value_cents INTEGER NOT NULL CHECK (declared_value_cents BETWEEN 0 AND 5000000),  -- Declared value
    signature_required INTEGER NOT NULL DEFAULT 0 CHECK (signature_required IN (0, 1)),  -- Whether someone must sign
    price_cents INTEGER NOT NULL CHECK (price_cents >= 800),  -- Price charged
    state TEXT NOT NULL DEFAULT 'booked' CHECK (state IN ('booked', 'collected', 'at_depot', 'out_for_delivery', 'held', 'delivered', 'returned', 'canceled', 'lost')),  -- Where the shipment stands
    ship_on TEXT NOT NULL,  -- Day it is handed over
    promised_on TEXT NOT NULL,  -- Day it is promised for
    depot TEXT CHECK (depot IN ('north', 'south', 'airport')),  -- Depot that received it
    pickup_id TEXT REFERENCES pickup ON DELETE RESTRICT,  -- Pickup that collects or collected it
    route_id TEXT REFERENCES route ON DELETE RESTRICT,  -- Route it is on
    hold_until TEXT,  -- Last day to collect it at the depot
    failed_attempts INTEGER NOT NULL DEFAULT 0 CHECK (failed_attempts >= 0),  -- Failed deliveries
    reschedule_count INTEGER NOT NULL DEFAULT 0 CHECK (reschedule_count >= 0),  -- Times the promised day was moved
    address_changes INTEGER NOT NULL DEFAULT 0 CHECK (address_changes >= 0),  -- Times the address was changed
    delivered_at TEXT,  -- Moment of delivery
    received_by TEXT,  -- Who took it
    CHECK (promised_on >= ship_on),
    CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
    CHECK ((state = 'held') = (hold_until IS NOT NULL)),
    CHECK (received_by IS NULL OR state = 'delivered'),
    CHECK (signature_required = 0 OR state <> 'delivered' OR received_by IS NOT NULL),
    CHECK (depot IS NULL OR state NOT IN ('booked', 'collected', 'canceled')),
    CHECK (depot IS NOT NULL OR state IN ('booked', 'collected', 'canceled', 'lost')),
    CHECK (pickup_id IS NOT NULL OR state <> 'collected'),
    CHECK (pickup_id IS NULL OR state <> 'canceled'),
    CHECK (route_id IS NULL OR state IN ('at_depot', 'out_for_delivery', 'delivered')),
    CHECK (route_id IS NOT NULL OR state <> 'out_for_delivery')
) STRICT, WITHOUT ROWID;

CREATE INDEX shipment_by_customer ON shipment (customer_id, ship_on);
CREATE INDEX shipment_by_pickup ON shipment (pickup_id);
CREATE INDEX shipment_by_route ON shipment (route_id);
CREATE INDEX shipment_by_promised_day ON shipment (promised_on, state);

CREATE TABLE scan (  -- One event in the history of a shipment
    scan_id TEXT PRIMARY KEY,  -- Scan number
    shipment_id TEXT NOT NULL REFERENCES shipment ON DELETE RESTRICT,  -- Shipment scanned
    event TEXT NOT NULL CHECK (event IN ('booked', 'collected', 'at_depot', 'out_for_delivery', 'held', 'delivered', 'returned', 'canceled', 'lost', 'failed_attempt')),  -- New state of the shipment, or a failed attempt
    depot TEXT CHECK (depot IN ('north', 'south', 'airport')),  -- Depot of the shipment then
    note TEXT,  -- Remark: who took it, why an attempt failed, why it went back
    scanned_at TEXT NOT NULL  -- When it happened
) STRICT, WITHOUT ROWID;

CREATE INDEX scan_by_shipment ON scan (shipment_id, scanned_at);

CREATE TABLE claim (  -- A demand for compensation for one shipment
    claim_id TEXT PRIMARY KEY,  -- Claim number
    shipment_id TEXT NOT NULL REFERENCES shipment ON DELETE RESTRICT,  -- Shipment it is about
    kind TEXT NOT NULL CHECK (kind IN ('lost', 'damaged', 'late')),  -- What went wrong
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount claimed
    description TEXT NOT NULL,  -- What happened, in the customer's words
    state TEXT NOT NULL DEFAULT 'filed' CHECK (state IN ('filed', 'approved', 'denied')),  -- State of the claim
    approved_cents INTEGER CHECK (approved_cents > 0),  -- Amount granted
    denial_reason TEXT,  -- Why it was denied
    created_at TEXT NOT NULL,  -- When it was filed
    decided_at TEXT,  -- When it was approved or denied
    CHECK ((state = 'approved') = (approved_cents IS NOT NULL)),
    CHECK ((state = 'denied') = (denial_reason IS NOT NULL)),
    CHECK ((state = 'filed') = (decided_at IS NULL)),
    CHECK (approved_cents <= amount_cents),
    CHECK (decided_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_by_shipment ON claim (shipment_id, state);
CREATE UNIQUE INDEX claim_one_per_shipment ON claim (shipment_id) WHERE state IN ('filed', 'approved');

CREATE TABLE account_entry (  -- A shipping charge, fee, credit, or payment on a customer's account
    account_entry_id TEXT PRIMARY KEY,  -- Entry number
    customer_id TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,  -- Whose account
    shipment_id TEXT REFERENCES shipment ON DELETE RESTRICT,  -- Shipment it concerns
    kind TEXT NOT NULL CHECK (kind IN ('shipping', 'fee', 'credit', 'payment')),  -- Charges are shipping and fee, the others lower the balance
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount, always positive
    description TEXT NOT NULL,  -- What it is for
    created_at TEXT NOT NULL,  -- When it was entered
    voided_at TEXT,  -- When it was voided
    CHECK (kind <> 'shipping' OR shipment_id IS NOT NULL),
    CHECK (kind <> 'payment' OR shipment_id IS NULL),
    CHECK (voided_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_entry_by_customer ON account_entry (customer_id, created_at);
CREATE INDEX account_entry_by_shipment ON account_entry (shipment_id);
CREATE UNIQUE INDEX account_entry_one_shipping ON account_entry (shipment_id) WHERE kind = 'shipping';

CREATE TABLE identification (           -- That a caller was identified
    customer_id   TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (customer_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    customer_id   TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (customer_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
