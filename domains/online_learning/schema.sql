-- An online learning provider: learners take courses in dated cohorts, hand in work, and pay tuition.

CREATE TABLE learner (  -- A person who takes courses
    learner_id TEXT PRIMARY KEY,  -- Learner number
    name TEXT NOT NULL CHECK (name <> ''),  -- Full name
    email TEXT NOT NULL CHECK (length(email) >= 3),  -- Email, one learner each
    phone TEXT NOT NULL CHECK (phone <> ''),  -- Phone as 312-555-0147
    date_of_birth TEXT NOT NULL,  -- Date of birth
    membership TEXT NOT NULL DEFAULT 'basic' CHECK (membership IN ('basic', 'plus', 'premium')),  -- Membership tier
    created_at TEXT NOT NULL,  -- When the learner registered
    CHECK (date_of_birth < created_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX learner_by_email ON learner (lower(email));

CREATE TABLE course (  -- A course in the catalog
    course_id TEXT PRIMARY KEY,  -- Course number
    title TEXT NOT NULL CHECK (title <> ''),  -- Title in the catalog
    subject TEXT NOT NULL CHECK (subject IN ('programming', 'data', 'design', 'business', 'languages')),  -- Subject
    level TEXT NOT NULL CHECK (level IN ('beginner', 'intermediate', 'advanced')),  -- Level
    tuition_cents INTEGER NOT NULL CHECK (tuition_cents > 0),  -- Current price
    pass_percent INTEGER NOT NULL CHECK (pass_percent BETWEEN 1 AND 100),  -- Least score to pass
    prerequisite_course_id TEXT REFERENCES course ON DELETE RESTRICT,  -- Course to complete first, if any
    CHECK (prerequisite_course_id <> course_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX course_by_title ON course (lower(title));
CREATE INDEX course_by_prerequisite ON course (prerequisite_course_id);

CREATE TABLE cohort (  -- A dated run of a course
    cohort_id TEXT PRIMARY KEY,  -- Cohort number
    course_id TEXT NOT NULL REFERENCES course ON DELETE RESTRICT,  -- Course taught
    starts_on TEXT NOT NULL,  -- First day
    ends_on TEXT NOT NULL,  -- Last day
    capacity INTEGER NOT NULL CHECK (capacity BETWEEN 1 AND 500),  -- Seats
    canceled_at TEXT,  -- When it was canceled; null if it was not
    CHECK (ends_on > starts_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX cohort_by_course ON cohort (course_id);
CREATE UNIQUE INDEX cohort_by_start ON cohort (course_id, starts_on) WHERE canceled_at IS NULL;

CREATE TABLE enrollment (  -- A learner's place in a cohort or on its waitlist
    enrollment_id TEXT PRIMARY KEY,  -- Enrollment number
    learner_id TEXT NOT NULL REFERENCES learner ON DELETE RESTRICT,  -- Learner
    cohort_id TEXT NOT NULL REFERENCES cohort ON DELETE RESTRICT,  -- Cohort now taken or waited for
    status TEXT NOT NULL CHECK (status IN ('waitlisted', 'active', 'completed', 'failed', 'withdrawn', 'canceled')),  -- Where it stands
    created_at TEXT NOT NULL,  -- When it was requested
    enrolled_at TEXT CHECK (enrolled_at >= created_at),  -- When the learner got a seat; null if never
    ended_at TEXT CHECK (ended_at >= created_at),  -- When it was completed, failed, withdrawn, or canceled
    tuition_cents INTEGER CHECK (tuition_cents > 0),  -- Tuition charged; null if never seated
    transfers INTEGER NOT NULL DEFAULT 0 CHECK (transfers >= 0),  -- Times moved to another cohort
    withdrawal_reason TEXT CHECK (withdrawal_reason IN ('schedule', 'cost', 'difficulty', 'health', 'other')),  -- Why the learner withdrew
    certificate_number TEXT,  -- CERT- and the enrollment number; null until issued
    CHECK ((status IN ('waitlisted', 'active')) = (ended_at IS NULL)),
    CHECK ((enrolled_at IS NULL) = (tuition_cents IS NULL)),
    CHECK (status <> 'waitlisted' OR enrolled_at IS NULL),
    CHECK (status NOT IN ('active', 'completed', 'failed') OR enrolled_at IS NOT NULL),
    CHECK ((status = 'withdrawn') = (withdrawal_reason IS NOT NULL)),
    CHECK (certificate_number IS NULL OR status = 'completed')
) STRICT, WITHOUT ROWID;

CREATE INDEX enrollment_by_learner ON enrollment (learner_id);
CREATE INDEX enrollment_by_cohort ON enrollment (cohort_id, status);
CREATE UNIQUE INDEX enrollment_open ON enrollment (learner_id, cohort_id) WHERE status IN ('waitlisted', 'active');
CREATE UNIQUE INDEX enrollment_by_certificate ON enrollment (certificate_number) WHERE certificate_number IS NOT NULL;

CREATE TABLE assignment (  -- A piece of graded work in a course
    assignment_id TEXT PRIMARY KEY,  -- Assignment number
    course_id TEXT NOT NULL REFERENCES course ON DELETE RESTRICT,  -- Course it belongs to
    title TEXT NOT NULL CHECK (title <> ''),  -- Title
    due_day INTEGER NOT NULL CHECK (due_day BETWEEN 0 AND 365),  -- Days from the cohort's first day to the due date
    max_points INTEGER NOT NULL CHECK (max_points BETWEEN 1 AND 1000)  -- Most points
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX assignment_by_title ON assignment (course_id, lower(title));

CREATE TABLE submission (  -- An enrollment's work for an assignment
    submission_id TEXT PRIMARY KEY,  -- Submission number
    enrollment_id TEXT NOT NULL REFERENCES enrollment ON DELETE RESTRICT,  -- Enrollment it is for
    assignment_id TEXT NOT NULL REFERENCES assignment ON DELETE RESTRICT,  -- Assignment it answers
    link TEXT NOT NULL CHECK (link <> ''),  -- Where the work is
    submitted_at TEXT NOT NULL,  -- When it was last handed in
    attempts INTEGER NOT NULL DEFAULT 1 CHECK (attempts > 0),  -- Times handed in
    late INTEGER NOT NULL CHECK (late IN (0, 1)),  -- Last handed in after the personal due date
    points INTEGER CHECK (points BETWEEN 0 AND 1000),  -- Points given; null until graded
    graded_at TEXT CHECK (graded_at >= submitted_at),  -- When it was last graded; null until graded
    CHECK ((points IS NULL) = (graded_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX submission_by_enrollment ON submission (enrollment_id, assignment_id);
CREATE INDEX submission_by_assignment ON submission (assignment_id);

CREATE TABLE extension (  -- Extra days for an enrollment's assignment
    extension_id TEXT PRIMARY KEY,  -- Extension number
    enrollment_id TEXT NOT NULL REFERENCES enrollment ON DELETE RESTRICT,  -- Enrollment it is for
    assignment_id TEXT NOT NULL REFERENCES assignment ON DELETE RESTRICT,  -- Assignment extended
    days INTEGER NOT NULL CHECK (days > 0)  -- Days added in all
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX extension_by_enrollment ON extension (enrollment_id, assignment_id);
CREATE INDEX extension_by_assignment ON extension (assignment_id);

CREATE TABLE account_entry (  -- A charge, credit, or payment on a learner's account
    account_entry_id TEXT PRIMARY KEY,  -- Entry number
    learner_id TEXT NOT NULL REFERENCES learner ON DELETE RESTRICT,  -- Whose account
    enrollment_id TEXT REFERENCES enrollment ON DELETE RESTRICT,  -- Enrollment it is for; null for a payment
    kind TEXT NOT NULL CHECK (kind IN ('tuition', 'fee', 'credit', 'payment')),  -- Kind of entry
    reason TEXT,  -- Reason of a fee or credit, method of a payment, null for tuition
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount, always positive
    created_at TEXT NOT NULL,  -- When it was recorded
    CHECK ((kind = 'payment') = (enrollment_id IS NULL)),
    CHECK ((kind = 'tuition') = (reason IS NULL)),
    CHECK (kind <> 'fee' OR reason IN ('transfer', 'late_enrollment', 'late_work', 'withdrawal', 'certificate', 'other')),
    CHECK (kind <> 'credit' OR reason IN ('withdrawal', 'courtesy', 'scholarship', 'correction', 'cohort_canceled')),
    CHECK (kind <> 'payment' OR reason IN ('card', 'bank_transfer', 'check'))
) STRICT, WITHOUT ROWID;

CREATE INDEX account_entry_by_learner ON account_entry (learner_id, created_at);
CREATE INDEX account_entry_by_enrollment ON account_entry (enrollment_id);
CREATE UNIQUE INDEX account_entry_tuition ON account_entry (enrollment_id) WHERE kind = 'tuition';

CREATE TABLE identification (           -- That a caller was identified
    learner_id    TEXT NOT NULL REFERENCES learner ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (learner_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    learner_id    TEXT NOT NULL REFERENCES learner ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (learner_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
