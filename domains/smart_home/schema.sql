-- A smart home service: subscribers with their homes and devices, door codes, alerts, technician visits, and charges.

CREATE TABLE subscriber (  -- A person with an account and a plan
    subscriber_id TEXT PRIMARY KEY,  -- Subscriber number
    full_name TEXT NOT NULL,  -- First and last name
    email TEXT NOT NULL UNIQUE,  -- Email address
    phone TEXT NOT NULL UNIQUE,  -- Phone number
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- Billing zip code
    plan TEXT NOT NULL CHECK (plan IN ('basic', 'plus', 'premium')),  -- Service plan, which sets the monthly fee
    plan_since TEXT NOT NULL,  -- Day of the last plan change, or of joining
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'closed')),  -- State of the account
    joined_on TEXT NOT NULL,  -- First day of service
    resume_on TEXT,  -- Planned end of a pause, null unless paused
    CHECK ((status = 'paused') = (resume_on IS NOT NULL)),
    CHECK (plan_since >= joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE home (  -- A house or apartment of a subscriber
    home_id TEXT PRIMARY KEY,  -- Home number
    subscriber_id TEXT NOT NULL REFERENCES subscriber ON DELETE RESTRICT,  -- Whose home it is
    nickname TEXT NOT NULL CHECK (nickname <> ''),  -- What the subscriber calls it
    street TEXT NOT NULL CHECK (street <> ''),  -- Street address
    city TEXT NOT NULL CHECK (city <> ''),  -- City
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- Zip code of the home
    mode TEXT NOT NULL DEFAULT 'home' CHECK (mode IN ('home', 'night', 'away')),  -- Present mode
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),  -- Closed homes never open again
    added_on TEXT NOT NULL  -- Day it was added
) STRICT, WITHOUT ROWID;

CREATE INDEX home_by_subscriber ON home (subscriber_id, status);
CREATE UNIQUE INDEX home_nickname ON home (subscriber_id, nickname) WHERE status = 'open';
CREATE UNIQUE INDEX home_address ON home (street, zip_code) WHERE status = 'open';

CREATE TABLE device (  -- A connected device in a home, or one retired from it
    device_id TEXT PRIMARY KEY,  -- Device number
    home_id TEXT NOT NULL REFERENCES home ON DELETE RESTRICT,  -- Home it is or was in
    name TEXT NOT NULL CHECK (name <> ''),  -- What the household calls it
    room TEXT NOT NULL CHECK (room <> ''),  -- Where it is
    kind TEXT NOT NULL CHECK (kind IN ('hub', 'thermostat', 'light', 'plug', 'lock', 'camera', 'sensor')),  -- Kind of device
    serial_number TEXT NOT NULL UNIQUE CHECK (serial_number <> ''),  -- Printed on the device
    status TEXT NOT NULL DEFAULT 'online' CHECK (status IN ('online', 'offline', 'retired')),  -- Connection, or retired for good
    state TEXT,  -- On or off for lights and plugs, locked or unlocked for locks, otherwise null
    target_f INTEGER CHECK (target_f BETWEEN 45 AND 90),  -- Target of a thermostat in degrees Fahrenheit
    battery_percent INTEGER CHECK (battery_percent BETWEEN 0 AND 100),  -- Charge left in a lock, camera, or sensor
    firmware_version TEXT NOT NULL,  -- Installed version
    available_firmware TEXT,  -- Newer version that can be installed, if any
    paired_on TEXT NOT NULL,  -- Day it was paired
    warranty_until TEXT NOT NULL,  -- Last day of warranty
    retire_reason TEXT,  -- Why it was retired, null unless retired
    CHECK (CASE WHEN kind IN ('light', 'plug') THEN coalesce(state, '') IN ('on', 'off') WHEN kind = 'lock' THEN coalesce(state, '') IN ('locked', 'unlocked') ELSE state IS NULL END),
    CHECK ((kind = 'thermostat') = (target_f IS NOT NULL)),
    CHECK ((kind IN ('lock', 'camera', 'sensor')) = (battery_percent IS NOT NULL)),
    CHECK ((status = 'retired') = (retire_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX device_by_home ON device (home_id, status);
CREATE UNIQUE INDEX device_name ON device (home_id, name) WHERE status <> 'retired';

CREATE TABLE automation (  -- A timed action of one device
    automation_id TEXT PRIMARY KEY,  -- Automation number
    device_id TEXT NOT NULL REFERENCES device ON DELETE RESTRICT,  -- Device it acts on
    name TEXT NOT NULL CHECK (name <> ''),  -- Its name, once in a home
    action TEXT NOT NULL CHECK (action IN ('turn_on', 'turn_off', 'lock', 'set_temperature')),  -- What it does
    target_f INTEGER CHECK (target_f BETWEEN 45 AND 90),  -- Temperature it sets, for set_temperature only
    run_time TEXT NOT NULL CHECK (run_time GLOB '[0-2][0-9]:[0-5][0-9]' AND run_time < '24:00'),  -- Time of day, HH:MM
    days TEXT NOT NULL CHECK (days IN ('daily', 'weekdays', 'weekends')),  -- When it runs
    status TEXT NOT NULL DEFAULT 'disabled' CHECK (status IN ('enabled', 'disabled')),  -- Whether it runs
    CHECK ((action = 'set_temperature') = (target_f IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX automation_by_device ON automation (device_id, status);
CREATE UNIQUE INDEX automation_clash ON automation (device_id, run_time, days) WHERE status = 'enabled';

CREATE TABLE access_code (  -- A door code of a lock
    access_code_id TEXT PRIMARY KEY,  -- Code number
    device_id TEXT NOT NULL REFERENCES device ON DELETE RESTRICT,  -- Its lock
    label TEXT NOT NULL CHECK (label <> ''),  -- Who or what it is for
    digits TEXT NOT NULL CHECK (length(digits) BETWEEN 4 AND 8 AND digits NOT GLOB '*[^0-9]*'),  -- What is entered at the door, never shown
    starts_at TEXT NOT NULL,  -- Works from
    ends_at TEXT,  -- Works until, null for always
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked')),  -- Revoked codes never work again
    CHECK (ends_at > starts_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX access_code_by_device ON access_code (device_id, status);

CREATE TABLE alert (  -- A problem reported for a device
    alert_id TEXT PRIMARY KEY,  -- Alert number
    device_id TEXT NOT NULL REFERENCES device ON DELETE RESTRICT,  -- Device it is about
    kind TEXT NOT NULL CHECK (kind IN ('low_battery', 'offline', 'motion', 'water_leak', 'smoke', 'tamper')),  -- What happened
    severity TEXT NOT NULL CHECK (severity IN ('low', 'medium', 'high')),  -- How serious
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'resolved')),  -- State of the alert
    details TEXT NOT NULL CHECK (details <> ''),  -- What was seen
    raised_at TEXT NOT NULL,  -- When it was raised
    resolved_at TEXT,  -- When it was resolved, null before
    resolution TEXT,  -- How it was resolved, null before
    CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
    CHECK ((status = 'resolved') = (resolution IS NOT NULL)),
    CHECK (resolved_at >= raised_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_by_device ON alert (device_id, status);
CREATE UNIQUE INDEX alert_unresolved ON alert (device_id, kind) WHERE status <> 'resolved';

CREATE TABLE visit (  -- A technician visit to a home
    visit_id TEXT PRIMARY KEY,  -- Visit number
    home_id TEXT NOT NULL REFERENCES home ON DELETE RESTRICT,  -- Home to visit
    device_id TEXT REFERENCES device ON DELETE RESTRICT,  -- Device of the home concerned, if any
    purpose TEXT NOT NULL CHECK (purpose IN ('installation', 'repair', 'checkup')),  -- Why the technician comes
    visit_on TEXT NOT NULL,  -- Day of the visit, never a Sunday
    window TEXT NOT NULL CHECK (window IN ('morning', 'afternoon')),  -- Part of the day
    status TEXT NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'completed', 'missed', 'canceled')),  -- State of the visit
    reschedule_count INTEGER NOT NULL DEFAULT 0 CHECK (reschedule_count >= 0),  -- Times it was moved
    notes TEXT,  -- What was done, null unless completed
    cancel_reason TEXT,  -- Why it was canceled, null unless canceled
    created_at TEXT NOT NULL,  -- When it was booked
    CHECK ((status = 'completed') = (notes IS NOT NULL)),
    CHECK ((status = 'canceled') = (cancel_reason IS NOT NULL)),
    CHECK (visit_on > substr(created_at, 1, 10))
) STRICT, WITHOUT ROWID;

CREATE INDEX visit_by_home ON visit (home_id, status);
CREATE INDEX visit_by_device ON visit (device_id);
CREATE INDEX visit_by_day ON visit (visit_on, window, status);
CREATE UNIQUE INDEX visit_scheduled ON visit (home_id, visit_on) WHERE status = 'scheduled';

CREATE TABLE charge (  -- A fee, credit, or payment on a subscriber's account
    charge_id TEXT PRIMARY KEY,  -- Charge number
    subscriber_id TEXT NOT NULL REFERENCES subscriber ON DELETE RESTRICT,  -- Whose account
    kind TEXT NOT NULL CHECK (kind IN ('fee', 'credit', 'payment')),  -- Fees raise the balance, credits and payments lower it
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount
    reason TEXT NOT NULL CHECK (reason <> ''),  -- What it is for
    visit_id TEXT REFERENCES visit ON DELETE RESTRICT,  -- Visit a fee is for, if any
    credited_charge_id TEXT REFERENCES charge ON DELETE RESTRICT,  -- Fee a credit is for, null for goodwill
    status TEXT NOT NULL DEFAULT 'posted' CHECK (status IN ('posted', 'void')),  -- Void charges do not count
    void_reason TEXT,  -- Why it was voided, null unless void
    created_at TEXT NOT NULL,  -- When it was posted
    CHECK (visit_id IS NULL OR kind = 'fee'),
    CHECK (credited_charge_id IS NULL OR kind = 'credit'),
    CHECK ((status = 'void') = (void_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_subscriber ON charge (subscriber_id, status);
CREATE INDEX charge_by_visit ON charge (visit_id);
CREATE INDEX charge_by_credited_charge ON charge (credited_charge_id);
CREATE UNIQUE INDEX charge_visit_fee ON charge (visit_id) WHERE kind = 'fee' AND status = 'posted';

CREATE TABLE identification (           -- That a caller was identified
    subscriber_id TEXT NOT NULL REFERENCES subscriber ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (subscriber_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    subscriber_id TEXT NOT NULL REFERENCES subscriber ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (subscriber_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
