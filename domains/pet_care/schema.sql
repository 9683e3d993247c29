-- A pet care center: clients bring pets for boarding stays and visits; vaccinations and accounts are kept.

CREATE TABLE client (  -- A person who brings pets
    client_id TEXT PRIMARY KEY,  -- Client number
    name TEXT NOT NULL CHECK (name <> ''),  -- Full name
    email TEXT NOT NULL CHECK (email <> ''),  -- Email address
    phone TEXT NOT NULL UNIQUE CHECK (phone <> ''),  -- Phone number, as in (614) 555-0142
    tier TEXT NOT NULL DEFAULT 'basic' CHECK (tier IN ('basic', 'plus', 'premier')),  -- Membership
    joined_on TEXT NOT NULL,  -- Day the person became a client
    emergency_contact TEXT  -- Name and phone of someone else to call
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX client_by_email ON client (lower(email));

CREATE TABLE pet (  -- A client's dog or cat
    pet_id TEXT PRIMARY KEY,  -- Pet number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Owner
    name TEXT NOT NULL CHECK (name <> ''),  -- What it is called
    species TEXT NOT NULL CHECK (species IN ('dog', 'cat')),  -- Dog or cat
    breed TEXT NOT NULL CHECK (breed <> ''),  -- Breed or mix
    weight_pounds INTEGER NOT NULL CHECK (weight_pounds BETWEEN 1 AND 250),  -- Current weight in pounds
    birth_date TEXT NOT NULL,  -- Day of birth
    feeding_notes TEXT  -- How it is fed
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX pet_by_client ON pet (client_id, lower(name));

CREATE TABLE vaccination (  -- One vaccine given to a pet
    vaccination_id TEXT PRIMARY KEY,  -- Record number
    pet_id TEXT NOT NULL REFERENCES pet ON DELETE RESTRICT,  -- Pet that got it
    vaccine TEXT NOT NULL CHECK (vaccine IN ('rabies', 'distemper', 'bordetella', 'feline_combo')),  -- Which vaccine
    given_on TEXT NOT NULL,  -- Day it was given
    expires_on TEXT NOT NULL,  -- Last day it protects
    CHECK (expires_on > given_on)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX vaccination_by_pet ON vaccination (pet_id, vaccine, given_on);

CREATE TABLE stay (  -- A boarding stay of one pet
    stay_id TEXT PRIMARY KEY,  -- Stay number
    pet_id TEXT NOT NULL REFERENCES pet ON DELETE RESTRICT,  -- Pet that stays
    room TEXT NOT NULL CHECK (room IN ('standard', 'deluxe', 'suite')),  -- Kind of room
    starts_on TEXT NOT NULL,  -- Drop-off day
    ends_on TEXT NOT NULL,  -- Pickup day
    nightly_rate_cents INTEGER NOT NULL CHECK (nightly_rate_cents > 0),  -- Rate a night in cents
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'checked_in', 'completed', 'canceled')),  -- State
    notes TEXT,  -- Care instructions
    created_at TEXT NOT NULL,  -- When it was booked
    canceled_at TEXT,  -- When it was canceled
    CHECK (ends_on > starts_on),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX stay_by_pet ON stay (pet_id, status);

CREATE TABLE visit (  -- A walk, day care, grooming, or training visit of one pet
    visit_id TEXT PRIMARY KEY,  -- Visit number
    pet_id TEXT NOT NULL REFERENCES pet ON DELETE RESTRICT,  -- Pet that comes
    service TEXT NOT NULL CHECK (service IN ('walk', 'day_care', 'bath', 'full_groom', 'training')),  -- Which service
    starts_at TEXT NOT NULL,  -- When it starts
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price in cents
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'completed', 'canceled')),  -- State
    times_moved INTEGER NOT NULL DEFAULT 0 CHECK (times_moved >= 0),  -- How often it was rescheduled
    stars INTEGER CHECK (stars BETWEEN 1 AND 5),  -- Rating, 1 worst, 5 best
    comment TEXT,  -- What the client said of it
    CHECK (stars IS NULL OR status = 'completed')
) STRICT, WITHOUT ROWID;

CREATE INDEX visit_by_pet ON visit (pet_id, status);
CREATE UNIQUE INDEX visit_booked_once ON visit (pet_id, starts_at) WHERE status = 'booked';

CREATE TABLE account_entry (  -- One charge, fee, payment, or credit on a client's account
    entry_id TEXT PRIMARY KEY,  -- Entry number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Whose account
    kind TEXT NOT NULL CHECK (kind IN ('stay_charge', 'visit_charge', 'cancellation_fee', 'change_fee', 'payment', 'credit')),  -- What it is
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount in cents, always positive
    stay_id TEXT REFERENCES stay ON DELETE RESTRICT,  -- Stay it is about
    entered_on TEXT NOT NULL  -- Day it was entered
) STRICT, WITHOUT ROWID;

CREATE INDEX account_entry_by_client ON account_entry (client_id, kind);
CREATE INDEX account_entry_by_stay ON account_entry (stay_id);

CREATE TABLE identification (           -- That a caller was identified
    client_id     TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (client_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    client_id     TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (client_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
