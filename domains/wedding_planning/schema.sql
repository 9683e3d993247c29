-- A wedding planning office: clients plan weddings, vendors are booked for them, guests are invited, and each wedding has an account.

CREATE TABLE client (  -- A person who plans a wedding with the office
    client_id TEXT PRIMARY KEY,  -- Client number
    full_name TEXT NOT NULL CHECK (full_name <> ''),  -- First and last name
    email TEXT NOT NULL CHECK (email LIKE '%@%' AND email NOT LIKE '%@%@%'),  -- Email address, unique ignoring case
    phone TEXT NOT NULL UNIQUE CHECK (phone GLOB '[0-9][0-9][0-9]-[0-9][0-9][0-9]-[0-9][0-9][0-9][0-9]'),  -- Phone number as 555-201-3344
    zip_code TEXT NOT NULL CHECK (zip_code GLOB '[0-9][0-9][0-9][0-9][0-9]'),  -- Five digits
    preferred_contact TEXT NOT NULL DEFAULT 'email' CHECK (preferred_contact IN ('email', 'phone')),  -- How to reach them
    created_at TEXT NOT NULL  -- Client since
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX client_by_email ON client (lower(email));

CREATE TABLE wedding (  -- A client's wedding, from inquiry to the day itself
    wedding_id TEXT PRIMARY KEY,  -- Wedding number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Whose wedding
    title TEXT NOT NULL CHECK (title <> ''),  -- What people call it
    partner_name TEXT NOT NULL CHECK (partner_name <> ''),  -- The client's partner
    wedding_date TEXT NOT NULL,  -- Day of the wedding
    start_time TEXT NOT NULL CHECK (start_time GLOB '[0-2][0-9]:[0-5][0-9]' AND start_time < '24:00'),  -- Ceremony start as HH:MM
    package TEXT NOT NULL CHECK (package IN ('day_of', 'partial', 'full_service')),  -- Planning package
    status TEXT NOT NULL DEFAULT 'inquiry' CHECK (status IN ('inquiry', 'contracted', 'completed', 'canceled')),  -- State of the wedding
    guest_limit INTEGER NOT NULL CHECK (guest_limit BETWEEN 1 AND 500),  -- Most seats
    table_count INTEGER NOT NULL DEFAULT 0 CHECK (table_count BETWEEN 0 AND 100),  -- Tables, numbered from 1
    seats_per_table INTEGER NOT NULL DEFAULT 8 CHECK (seats_per_table BETWEEN 2 AND 20),  -- Seats at each table
    budget_cents INTEGER NOT NULL CHECK (budget_cents > 0),  -- What the couple will spend
    planning_fee_cents INTEGER CHECK (planning_fee_cents > 0),  -- Planning fee agreed in the contract
    contract_signed_on TEXT,  -- Day the contract was signed
    rsvp_due_on TEXT,  -- RSVP deadline
    date_changes INTEGER NOT NULL DEFAULT 0 CHECK (date_changes >= 0),  -- Times the date moved
    canceled_on TEXT,  -- Day of cancellation
    cancel_reason TEXT CHECK (cancel_reason <> ''),  -- Why it was canceled
    created_at TEXT NOT NULL,  -- When it was opened
    CHECK (status <> 'inquiry' OR contract_signed_on IS NULL),
    CHECK (status NOT IN ('contracted', 'completed') OR contract_signed_on IS NOT NULL),
    CHECK ((planning_fee_cents IS NULL) = (contract_signed_on IS NULL)),
    CHECK (contract_signed_on < wedding_date),
    CHECK (rsvp_due_on < wedding_date),
    CHECK ((status = 'canceled') = (canceled_on IS NOT NULL)),
    CHECK ((canceled_on IS NULL) = (cancel_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX wedding_by_client ON wedding (client_id, wedding_date);
CREATE INDEX wedding_by_date ON wedding (wedding_date, status);

CREATE TABLE vendor (  -- A business that serves weddings
    vendor_id TEXT PRIMARY KEY,  -- Vendor number
    name TEXT NOT NULL CHECK (name <> ''),  -- Business name
    category TEXT NOT NULL CHECK (category IN ('venue', 'catering', 'photography', 'florals', 'music', 'cake', 'beauty', 'transportation', 'officiant')),  -- Trade
    city TEXT NOT NULL CHECK (city <> ''),  -- Home city
    phone TEXT NOT NULL CHECK (phone GLOB '[0-9][0-9][0-9]-[0-9][0-9][0-9]-[0-9][0-9][0-9][0-9]'),  -- Phone number as 555-201-3344
    price_basis TEXT NOT NULL CHECK (price_basis IN ('flat', 'per_guest')),  -- Whether the rate is for the event or for each guest
    rate_cents INTEGER NOT NULL CHECK (rate_cents > 0),  -- Standard rate
    deposit_percent INTEGER NOT NULL CHECK (deposit_percent BETWEEN 0 AND 100),  -- Deposit as percent of the price
    max_guests INTEGER CHECK (max_guests > 0),  -- Most guests served, null without limit
    cancel_notice_days INTEGER NOT NULL CHECK (cancel_notice_days >= 0),  -- Days of notice the vendor asks for
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Takes bookings
    UNIQUE (name, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE booking (  -- A vendor's service for a wedding
    booking_id TEXT PRIMARY KEY,  -- Booking number
    wedding_id TEXT NOT NULL REFERENCES wedding ON DELETE RESTRICT,  -- For which wedding
    vendor_id TEXT NOT NULL REFERENCES vendor ON DELETE RESTRICT,  -- With which vendor
    service_note TEXT CHECK (service_note <> ''),  -- What was asked for
    service_date TEXT NOT NULL,  -- Day of service
    status TEXT NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'confirmed', 'completed', 'canceled')),  -- State of the booking
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Agreed price
    deposit_cents INTEGER NOT NULL CHECK (deposit_cents >= 0),  -- Deposit within the price
    confirmed_on TEXT,  -- Day of confirmation
    canceled_on TEXT,  -- Day of cancellation
    cancel_reason TEXT CHECK (cancel_reason <> ''),  -- Why it was canceled
    created_at TEXT NOT NULL,  -- When it was requested
    CHECK (deposit_cents <= price_cents),
    CHECK (status <> 'requested' OR confirmed_on IS NULL),
    CHECK (status NOT IN ('confirmed', 'completed') OR confirmed_on IS NOT NULL),
    CHECK (confirmed_on <= service_date),
    CHECK ((status = 'canceled') = (canceled_on IS NOT NULL)),
    CHECK ((canceled_on IS NULL) = (cancel_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX booking_by_wedding ON booking (wedding_id, status);
CREATE INDEX booking_by_vendor ON booking (vendor_id, service_date);
CREATE UNIQUE INDEX booking_live_once ON booking (wedding_id, vendor_id) WHERE status IN ('requested', 'confirmed');
CREATE UNIQUE INDEX booking_confirmed_day ON booking (vendor_id, service_date) WHERE status = 'confirmed';

CREATE TABLE guest (  -- An invitation on a wedding's list
    guest_id TEXT PRIMARY KEY,  -- Guest number
    wedding_id TEXT NOT NULL REFERENCES wedding ON DELETE RESTRICT,  -- Invited to which wedding
    full_name TEXT NOT NULL CHECK (full_name <> ''),  -- Name on the invitation
    side TEXT NOT NULL CHECK (side IN ('client', 'partner', 'both')),  -- Whose guest
    party_size INTEGER NOT NULL DEFAULT 1 CHECK (party_size BETWEEN 1 AND 8),  -- People on the invitation
    rsvp_status TEXT NOT NULL DEFAULT 'draft' CHECK (rsvp_status IN ('draft', 'invited', 'accepted', 'declined')),  -- State of the invitation
    attending_count INTEGER,  -- People coming, 0 when declined, null before an answer
    meal TEXT CHECK (meal IN ('chicken', 'beef', 'fish', 'vegetarian', 'vegan', 'kids')),  -- Meal of the party
    dietary_note TEXT CHECK (dietary_note <> ''),  -- Allergies and the like
    table_number INTEGER CHECK (table_number > 0),  -- Assigned table
    invited_on TEXT,  -- Day of invitation
    responded_on TEXT,  -- Day of the last answer
    UNIQUE (wedding_id, full_name),
    CHECK (rsvp_status NOT IN ('draft', 'invited') OR attending_count IS NULL),
    CHECK (rsvp_status <> 'accepted' OR (attending_count IS NOT NULL AND attending_count BETWEEN 1 AND party_size)),
    CHECK (rsvp_status <> 'declined' OR (attending_count IS NOT NULL AND attending_count = 0)),
    CHECK (meal IS NULL OR rsvp_status = 'accepted'),
    CHECK (table_number IS NULL OR rsvp_status = 'accepted'),
    CHECK ((rsvp_status = 'draft') = (invited_on IS NULL)),
    CHECK ((rsvp_status IN ('accepted', 'declined')) = (responded_on IS NOT NULL)),
    CHECK (responded_on >= invited_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX guest_by_wedding ON guest (wedding_id, rsvp_status);

CREATE TABLE task (  -- A planning task of a wedding
    task_id TEXT PRIMARY KEY,  -- Task number
    wedding_id TEXT NOT NULL REFERENCES wedding ON DELETE RESTRICT,  -- For which wedding
    title TEXT NOT NULL CHECK (title <> ''),  -- What is to be done
    assigned_to TEXT NOT NULL CHECK (assigned_to IN ('client', 'planner')),  -- Who does it
    due_on TEXT NOT NULL,  -- Day it is due
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'done')),  -- Still to do or not
    completed_on TEXT,  -- Day it was done
    CHECK ((status = 'done') = (completed_on IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX task_by_wedding ON task (wedding_id, due_on);
CREATE UNIQUE INDEX task_open_once ON task (wedding_id, title) WHERE status = 'open';

CREATE TABLE appointment (  -- A client's time in the meeting room
    appointment_id TEXT PRIMARY KEY,  -- Appointment number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Whose appointment
    wedding_id TEXT REFERENCES wedding ON DELETE RESTRICT,  -- About which wedding, if any
    kind TEXT NOT NULL CHECK (kind IN ('consultation', 'menu_tasting', 'venue_tour', 'seating_review', 'final_walkthrough')),  -- What it is for
    starts_at TEXT NOT NULL,  -- Start
    duration_minutes INTEGER NOT NULL DEFAULT 60 CHECK (duration_minutes BETWEEN 15 AND 180),  -- Length
    status TEXT NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'completed', 'no_show', 'canceled')),  -- State of the appointment
    reschedule_count INTEGER NOT NULL DEFAULT 0 CHECK (reschedule_count >= 0),  -- Times it was moved
    created_at TEXT NOT NULL,  -- When it was booked
    canceled_at TEXT,  -- When it was canceled
    CHECK (kind = 'consultation' OR wedding_id IS NOT NULL),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX appointment_by_client ON appointment (client_id, starts_at);
CREATE INDEX appointment_by_wedding ON appointment (wedding_id, status);
CREATE UNIQUE INDEX appointment_room_time ON appointment (starts_at) WHERE status = 'scheduled';

CREATE TABLE ledger_entry (  -- A charge, payment, credit or refund on a wedding's account
    ledger_entry_id TEXT PRIMARY KEY,  -- Entry number
    wedding_id TEXT NOT NULL REFERENCES wedding ON DELETE RESTRICT,  -- On whose account
    booking_id TEXT REFERENCES booking ON DELETE RESTRICT,  -- Booking it charges, if any
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'payment', 'credit', 'refund')),  -- What it is
    category TEXT CHECK (category IN ('planning', 'vendor', 'date_change', 'cancellation', 'rush', 'goodwill', 'other')),  -- What a charge or credit is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount, whatever its direction
    description TEXT NOT NULL CHECK (description <> ''),  -- Words on the statement
    method TEXT CHECK (method IN ('card', 'check', 'bank_transfer', 'cash')),  -- How a payment or refund moved
    due_on TEXT,  -- Due day of a charge
    status TEXT NOT NULL DEFAULT 'posted' CHECK (status IN ('posted', 'voided')),  -- Counts or was voided
    void_reason TEXT CHECK (void_reason <> ''),  -- Why it was voided
    created_at TEXT NOT NULL,  -- When it was entered
    CHECK ((kind IN ('charge', 'credit')) = (category IS NOT NULL)),
    CHECK (kind <> 'charge' OR category <> 'goodwill'),
    CHECK ((kind IN ('payment', 'refund')) = (method IS NOT NULL)),
    CHECK ((kind = 'charge') = (due_on IS NOT NULL)),
    CHECK (booking_id IS NULL OR (kind = 'charge' AND category = 'vendor')),
    CHECK ((status = 'voided') = (void_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_entry_by_wedding ON ledger_entry (wedding_id, kind);
CREATE INDEX ledger_entry_by_booking ON ledger_entry (booking_id);

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
