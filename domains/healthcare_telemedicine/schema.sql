-- A video-visit medical practice: patients book visits in clinicians' slots, and get prescriptions, lab tests, and bills.

CREATE TABLE patient (  -- A person the practice treats
    patient_id TEXT PRIMARY KEY,  -- Patient number
    name TEXT NOT NULL,  -- Full name
    email TEXT NOT NULL UNIQUE,  -- Email; no two patients share one, ignoring case
    phone TEXT NOT NULL UNIQUE,  -- Phone, as 503-555-0142
    date_of_birth TEXT NOT NULL,  -- Date of birth
    address_state TEXT NOT NULL CHECK (address_state IN ('CA', 'NV', 'OR', 'WA')),  -- State of residence
    plan TEXT NOT NULL DEFAULT 'basic' CHECK (plan IN ('basic', 'plus', 'premier')),  -- Membership plan
    plan_since TEXT NOT NULL,  -- On this plan since this day
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),  -- Account status
    joined_on TEXT NOT NULL,  -- Day of registration
    consent_on TEXT,  -- Day the telehealth consent was signed; null if it is not on file
    pharmacy TEXT,  -- Preferred pharmacy
    allergies TEXT,  -- Known allergies
    credit_cents INTEGER NOT NULL DEFAULT 0 CHECK (credit_cents >= 0),  -- Unused account credit
    CHECK (date_of_birth <= joined_on),
    CHECK (plan_since >= joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE clinician (  -- A doctor or nurse practitioner who sees patients by video
    clinician_id TEXT PRIMARY KEY,  -- Clinician number
    name TEXT NOT NULL UNIQUE,  -- Full name with title
    specialty TEXT NOT NULL CHECK (specialty IN ('primary_care', 'dermatology', 'psychiatry', 'pediatrics')),  -- Specialty
    licensed_states TEXT NOT NULL CHECK (length(licensed_states) >= 2),  -- State codes (CA, NV, OR, WA) joined by commas, as CA,NV
    visit_fee_cents INTEGER NOT NULL CHECK (visit_fee_cents > 0),  -- Fee per visit
    accepting_new INTEGER NOT NULL DEFAULT 1 CHECK (accepting_new IN (0, 1))  -- Takes new patients
) STRICT, WITHOUT ROWID;

CREATE TABLE slot (  -- A stretch of a clinician's time; slots of one clinician never overlap
    slot_id TEXT PRIMARY KEY,  -- Slot number
    clinician_id TEXT NOT NULL REFERENCES clinician ON DELETE RESTRICT,  -- Clinician whose time it is
    starts_at TEXT NOT NULL,  -- Start
    minutes INTEGER NOT NULL CHECK (minutes BETWEEN 10 AND 60),  -- Length
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'booked', 'blocked')),  -- Booked exactly while it holds a visit that is not canceled
    block_reason TEXT,  -- Why it is blocked
    UNIQUE (clinician_id, starts_at),
    CHECK ((status = 'blocked') = (block_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE visit (  -- A patient's video visit in a slot, with that slot's clinician
    visit_id TEXT PRIMARY KEY,  -- Visit number
    patient_id TEXT NOT NULL REFERENCES patient ON DELETE RESTRICT,  -- Patient to be seen
    slot_id TEXT NOT NULL REFERENCES slot ON DELETE RESTRICT,  -- Slot it takes, or last took if canceled
    reason TEXT NOT NULL,  -- Reason for the visit
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'checked_in', 'completed', 'canceled', 'no_show')),  -- Where it stands
    created_at TEXT NOT NULL,  -- When it was booked
    reschedules INTEGER NOT NULL DEFAULT 0 CHECK (reschedules >= 0),  -- Times moved to another slot
    canceled_by TEXT CHECK (canceled_by IN ('patient', 'practice')),  -- Who canceled
    canceled_at TEXT,  -- When it was canceled
    cancel_reason TEXT,  -- Why it was canceled
    checked_in_at TEXT,  -- When the patient was checked in
    completed_at TEXT,  -- When it was completed
    summary TEXT,  -- What was found and advised
    CHECK ((status = 'canceled') = (canceled_by IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (cancel_reason IS NULL OR status = 'canceled'),
    CHECK ((status IN ('checked_in', 'completed')) = (checked_in_at IS NOT NULL)),
    CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CHECK ((status = 'completed') = (summary IS NOT NULL)),
    CHECK (canceled_at >= created_at),
    CHECK (completed_at >= checked_in_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX visit_by_patient ON visit (patient_id, status);
CREATE INDEX visit_by_slot ON visit (slot_id);
CREATE UNIQUE INDEX visit_one_per_slot ON visit (slot_id) WHERE status <> 'canceled';

CREATE TABLE prescription (  -- A drug prescribed at a visit, to its patient and by its clinician
    prescription_id TEXT PRIMARY KEY,  -- Prescription number
    visit_id TEXT NOT NULL REFERENCES visit ON DELETE RESTRICT,  -- Visit it comes from
    medication TEXT NOT NULL,  -- Drug and strength
    directions TEXT NOT NULL,  -- How to take it
    quantity INTEGER NOT NULL CHECK (quantity > 0),  -- Units per fill
    days_supply INTEGER NOT NULL CHECK (days_supply BETWEEN 1 AND 90),  -- Days one fill lasts
    refills_allowed INTEGER NOT NULL CHECK (refills_allowed BETWEEN 0 AND 11),  -- Refills after the first fill
    refills_left INTEGER NOT NULL,  -- Refills left
    is_controlled INTEGER NOT NULL DEFAULT 0 CHECK (is_controlled IN (0, 1)),  -- Controlled substance
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'discontinued')),  -- Active or stopped
    written_on TEXT NOT NULL,  -- Day written
    last_filled_on TEXT NOT NULL,  -- Day of the last fill
    expires_on TEXT NOT NULL,  -- Last day of use
    stop_reason TEXT,  -- Why it was stopped
    CHECK (refills_left BETWEEN 0 AND refills_allowed),
    CHECK (last_filled_on >= written_on),
    CHECK (expires_on > written_on),
    CHECK ((status = 'discontinued') = (stop_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX prescription_by_visit ON prescription (visit_id);

CREATE TABLE refill (  -- A request to refill a prescription
    refill_id TEXT PRIMARY KEY,  -- Request number
    prescription_id TEXT NOT NULL REFERENCES prescription ON DELETE RESTRICT,  -- Prescription to refill
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'denied')),  -- Where it stands
    note TEXT,  -- Note for the clinician
    created_at TEXT NOT NULL,  -- When it was requested
    decided_on TEXT,  -- Day of the decision
    decision_note TEXT,  -- Why it was denied
    CHECK ((status = 'pending') = (decided_on IS NULL)),
    CHECK ((status = 'denied') = (decision_note IS NOT NULL)),
    CHECK (decided_on >= substr(created_at, 1, 10))
) STRICT, WITHOUT ROWID;

CREATE INDEX refill_by_prescription ON refill (prescription_id, status);
CREATE UNIQUE INDEX refill_one_pending ON refill (prescription_id) WHERE status = 'pending';

CREATE TABLE lab_order (  -- A lab test ordered at a visit for its patient, and its result
    lab_order_id TEXT PRIMARY KEY,  -- Order number
    visit_id TEXT NOT NULL REFERENCES visit ON DELETE RESTRICT,  -- Visit it comes from
    test_name TEXT NOT NULL,  -- Name of the test
    needs_fasting INTEGER NOT NULL DEFAULT 0 CHECK (needs_fasting IN (0, 1)),  -- Patient must fast
    status TEXT NOT NULL DEFAULT 'ordered' CHECK (status IN ('ordered', 'resulted', 'released', 'canceled')),  -- Where it stands
    ordered_on TEXT NOT NULL,  -- Day ordered
    resulted_on TEXT,  -- Day of the result
    result TEXT,  -- Result as reported
    flag TEXT CHECK (flag IN ('normal', 'abnormal', 'critical')),  -- How the result reads
    released_on TEXT,  -- Day released to the patient's portal
    cancel_reason TEXT,  -- Why it was canceled
    CHECK ((status IN ('resulted', 'released')) = (resulted_on IS NOT NULL)),
    CHECK ((status IN ('resulted', 'released')) = (result IS NOT NULL)),
    CHECK ((status IN ('resulted', 'released')) = (flag IS NOT NULL)),
    CHECK ((status = 'released') = (released_on IS NOT NULL)),
    CHECK ((status = 'canceled') = (cancel_reason IS NOT NULL)),
    CHECK (resulted_on >= ordered_on),
    CHECK (released_on >= resulted_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX lab_order_by_visit ON lab_order (visit_id);

CREATE TABLE charge (  -- An amount billed to a patient, and what became of it
    charge_id TEXT PRIMARY KEY,  -- Charge number
    patient_id TEXT NOT NULL REFERENCES patient ON DELETE RESTRICT,  -- Patient charged
    visit_id TEXT REFERENCES visit ON DELETE RESTRICT,  -- Visit of this patient that it concerns
    kind TEXT NOT NULL CHECK (kind IN ('visit', 'no_show_fee', 'late_cancellation_fee', 'plan_fee', 'records_fee')),  -- Kind of charge
    note TEXT,  -- Note on the bill
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount charged
    paid_cents INTEGER NOT NULL DEFAULT 0 CHECK (paid_cents >= 0),  -- Paid in all, refunds not taken off
    refunded_cents INTEGER NOT NULL DEFAULT 0 CHECK (refunded_cents >= 0),  -- Refunded in all
    credited_cents INTEGER NOT NULL DEFAULT 0 CHECK (credited_cents >= 0),  -- Settled by account credit
    waived_cents INTEGER NOT NULL DEFAULT 0 CHECK (waived_cents >= 0),  -- Waived in all
    created_at TEXT NOT NULL,  -- When it was charged
    due_on TEXT NOT NULL,  -- Due date
    last_paid_on TEXT,  -- Day of the last payment
    adjustment_note TEXT,  -- Reason of the last refund or waiver
    UNIQUE (visit_id, kind),
    CHECK (kind <> 'visit' OR visit_id IS NOT NULL),
    CHECK (paid_cents + credited_cents + waived_cents <= amount_cents),
    CHECK (refunded_cents <= paid_cents),
    CHECK (due_on >= substr(created_at, 1, 10)),
    CHECK ((paid_cents > 0) = (last_paid_on IS NOT NULL)),
    CHECK (last_paid_on >= substr(created_at, 1, 10)),
    CHECK ((refunded_cents + waived_cents > 0) = (adjustment_note IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_patient ON charge (patient_id, due_on);

CREATE TABLE identification (           -- That a caller was identified
    patient_id    TEXT NOT NULL REFERENCES patient ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (patient_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    patient_id    TEXT NOT NULL REFERENCES patient ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (patient_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
