-- A small members' archive of film, tape and sound: members deposit recordings, book booths to play them, and ask research questions.

CREATE TABLE member (  -- A person who deposits, watches and asks
    member_id TEXT PRIMARY KEY,  -- Member number
    full_name TEXT NOT NULL CHECK (length(full_name) > 0),  -- First and last name
    email TEXT NOT NULL UNIQUE CHECK (length(email) > 0),  -- Email on file
    phone TEXT CHECK (length(phone) > 0),  -- Phone on file
    date_of_birth TEXT,  -- Birthday
    tier TEXT NOT NULL DEFAULT 'neighbor' CHECK (tier IN ('neighbor', 'friend', 'patron')),  -- Membership tier
    tier_set_on TEXT,  -- Day the tier last changed, null if it never did
    joined_on TEXT NOT NULL,  -- Day they joined
    CHECK (date_of_birth < joined_on),
    CHECK (tier_set_on >= joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE recording (  -- A film, tape or sound recording that a member deposited
    recording_id TEXT PRIMARY KEY,  -- Catalog number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Depositor
    name TEXT NOT NULL CHECK (length(name) > 0),  -- Name in the catalog
    kind TEXT NOT NULL CHECK (kind IN ('home_movie', 'film', 'tv', 'radio', 'music')),  -- What it is
    carrier TEXT NOT NULL CHECK (carrier IN ('super8', 'film_reel', 'vhs', 'cassette', 'audio_reel', 'vinyl', 'file')),  -- What it is stored on
    maker TEXT NOT NULL CHECK (length(maker) > 0),  -- Who made it
    made_year INTEGER NOT NULL CHECK (made_year BETWEEN 1890 AND 2100),  -- Year it was made
    runtime_minutes INTEGER NOT NULL CHECK (runtime_minutes BETWEEN 1 AND 600),  -- Length in minutes
    description TEXT NOT NULL CHECK (length(description) > 0),  -- What is on it
    digitized INTEGER NOT NULL DEFAULT 0 CHECK (digitized IN (0, 1)),  -- Whether a digital copy exists
    access TEXT NOT NULL DEFAULT 'open' CHECK (access IN ('open', 'sealed')),  -- Open to members, or sealed by its depositor
    access_set_on TEXT,  -- Day the access last changed, null if it never did
    status TEXT NOT NULL DEFAULT 'cataloged' CHECK (status IN ('cataloged', 'withdrawn')),  -- Whether it is in the archive
    withdrawn_at TEXT,  -- When it was withdrawn
    withdrawn_reason TEXT,  -- Why it was withdrawn, in the depositor's words
    created_at TEXT NOT NULL,  -- When it was deposited
    CHECK (carrier <> 'file' OR digitized = 1),
    CHECK (access_set_on >= substr(created_at, 1, 10)),
    CHECK (withdrawn_at >= created_at),
    CHECK ((status = 'withdrawn') = (withdrawn_at IS NOT NULL)),
    CHECK ((status = 'withdrawn') = (withdrawn_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX recording_by_member ON recording (member_id, status);

CREATE TABLE viewing (  -- A booth booked by a member to watch or hear one recording
    viewing_id TEXT PRIMARY KEY,  -- Viewing number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who booked it
    recording_id TEXT NOT NULL REFERENCES recording ON DELETE RESTRICT,  -- What they watch or hear
    starts_at TEXT NOT NULL,  -- Start
    minutes INTEGER NOT NULL CHECK (minutes BETWEEN 15 AND 240),  -- Length in minutes
    booth INTEGER NOT NULL CHECK (booth BETWEEN 1 AND 4),  -- Booth number
    party_size INTEGER NOT NULL DEFAULT 1 CHECK (party_size BETWEEN 1 AND 8),  -- People coming, member included
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'attended', 'missed', 'canceled')),  -- State
    moves INTEGER NOT NULL DEFAULT 0 CHECK (moves >= 0),  -- Times it was moved
    created_at TEXT NOT NULL,  -- When it was booked
    checked_in_at TEXT,  -- When the member came
    canceled_at TEXT,  -- When it was canceled
    CHECK (starts_at > created_at),
    CHECK (booth = 4 OR party_size <= 4),
    CHECK (booth >= 3 OR party_size <= 2),
    CHECK ((status = 'attended') = (checked_in_at IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (substr(checked_in_at, 1, 10) = substr(starts_at, 1, 10)),
    CHECK (checked_in_at >= created_at),
    CHECK (canceled_at >= created_at),
    CHECK (canceled_at < starts_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX viewing_by_member ON viewing (member_id, status);
CREATE INDEX viewing_by_recording ON viewing (recording_id, status);
CREATE INDEX viewing_by_booth ON viewing (booth, starts_at);

CREATE TABLE inquiry (  -- A research question a member puts to the reference desk
    inquiry_id TEXT PRIMARY KEY,  -- Inquiry number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who asked
    recording_id TEXT REFERENCES recording ON DELETE RESTRICT,  -- Recording it is about, null if none
    kind TEXT NOT NULL CHECK (kind IN ('identify', 'date', 'credits', 'rights')),  -- What is wanted
    subject TEXT NOT NULL CHECK (length(subject) > 0),  -- The question
    minutes INTEGER NOT NULL CHECK (minutes BETWEEN 15 AND 480),  -- Research minutes set aside
    needed_by TEXT,  -- Day the answer is needed, null if there is no hurry
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'answered', 'closed', 'withdrawn')),  -- State
    created_at TEXT NOT NULL,  -- When it was opened
    answer TEXT CHECK (length(answer) > 0),  -- Latest answer
    answered_at TEXT,  -- When it was last answered
    stars INTEGER CHECK (stars BETWEEN 1 AND 5),  -- The member's rating of the answer
    follow_up TEXT CHECK (length(follow_up) > 0),  -- Latest follow-up question
    reopens INTEGER NOT NULL DEFAULT 0 CHECK (reopens >= 0),  -- Times it was reopened
    closed_at TEXT,  -- When it was closed
    withdrawn_at TEXT,  -- When it was withdrawn
    CHECK (needed_by >= substr(created_at, 1, 10)),
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CHECK (status NOT IN ('answered', 'closed') OR answer IS NOT NULL),
    CHECK (stars IS NULL OR status = 'closed'),
    CHECK ((reopens = 0) = (follow_up IS NULL)),
    CHECK (reopens = 0 OR answer IS NOT NULL),
    CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CHECK ((status = 'withdrawn') = (withdrawn_at IS NOT NULL)),
    CHECK (answered_at >= created_at),
    CHECK (closed_at >= answered_at),
    CHECK (withdrawn_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX inquiry_by_member ON inquiry (member_id, status);
CREATE INDEX inquiry_by_recording ON inquiry (recording_id, status);

CREATE TABLE charge (  -- An amount a member owes or has paid
    charge_id TEXT PRIMARY KEY,  -- Charge number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who owes it
    kind TEXT NOT NULL CHECK (kind IN ('late_cancel', 'missed_viewing', 'rush', 'research', 'other')),  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents BETWEEN 1 AND 50000),  -- Amount
    viewing_id TEXT REFERENCES viewing ON DELETE RESTRICT,  -- Viewing it is about, null if none
    inquiry_id TEXT REFERENCES inquiry ON DELETE RESTRICT,  -- Inquiry it is about, null if none
    status TEXT NOT NULL DEFAULT 'unpaid' CHECK (status IN ('unpaid', 'paid')),  -- Whether it is paid
    created_at TEXT NOT NULL,  -- When it was recorded
    paid_at TEXT,  -- When it was paid
    CHECK (viewing_id IS NULL OR inquiry_id IS NULL),
    CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    CHECK (paid_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_member ON charge (member_id, status);
CREATE INDEX charge_by_viewing ON charge (viewing_id);
CREATE INDEX charge_by_inquiry ON charge (inquiry_id);

CREATE TABLE identification (           -- That a caller was identified
    member_id     TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (member_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    member_id     TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (member_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
