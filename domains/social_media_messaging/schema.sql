-- The member desk of Porchlight, where neighbors and shops of Dayton, Ohio talk in channels, and pay to boost a message.

CREATE TABLE member (  -- A person or shop with an account
    member_id TEXT PRIMARY KEY,  -- Account number
    name TEXT NOT NULL CHECK (length(name) > 0),  -- Full name
    handle TEXT NOT NULL UNIQUE CHECK (length(handle) BETWEEN 3 AND 20),  -- Name shown in channels, without the @ sign
    handle_changed_on TEXT,  -- Day the handle was last changed, if ever
    email TEXT NOT NULL UNIQUE CHECK (length(email) >= 3),  -- Email address
    phone TEXT NOT NULL,  -- Phone number
    plan TEXT NOT NULL DEFAULT 'basic' CHECK (plan IN ('basic', 'plus', 'shop')),  -- Plan the account is on
    plan_since TEXT NOT NULL,  -- Day this plan began
    joined_on TEXT NOT NULL,  -- Day they signed up
    CHECK (plan_since >= joined_on),
    CHECK (handle_changed_on >= joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (  -- A place where members talk about one topic
    channel_id TEXT PRIMARY KEY,  -- Channel number
    owner_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who owns it
    title TEXT NOT NULL CHECK (length(title) BETWEEN 3 AND 60),  -- Title of the channel
    topic TEXT NOT NULL CHECK (topic IN ('neighborhood', 'pets', 'food', 'sports', 'music', 'parents', 'for_sale')),  -- What it is about
    admission TEXT NOT NULL DEFAULT 'open' CHECK (admission IN ('open', 'by_request')),  -- Whether anyone may join, or people ask first
    capacity INTEGER NOT NULL CHECK (capacity BETWEEN 2 AND 500),  -- Most active members
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'archived')),  -- In use, or closed for good
    created_at TEXT NOT NULL  -- When it was created
) STRICT, WITHOUT ROWID;

CREATE INDEX channel_by_owner ON channel (owner_id, status);
CREATE UNIQUE INDEX one_open_channel_per_title ON channel (title) WHERE status = 'open';

CREATE TABLE membership (  -- A member in a channel, or asking to be let in
    membership_id TEXT PRIMARY KEY,  -- Membership number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who belongs to the channel
    channel_id TEXT NOT NULL REFERENCES channel ON DELETE RESTRICT,  -- Channel they belong to
    role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'moderator')),  -- What they may look after
    status TEXT NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'active', 'left')),  -- Waiting to be let in, in the channel, or gone
    alerts TEXT NOT NULL DEFAULT 'all' CHECK (alerts IN ('all', 'mentions', 'muted')),  -- Which alerts they get from it
    created_at TEXT NOT NULL,  -- When they joined or asked to
    joined_at TEXT,  -- When it became active, if it did
    left_at TEXT,  -- When they left, if they did
    CHECK (status <> 'active' OR joined_at IS NOT NULL),
    CHECK (status <> 'requested' OR joined_at IS NULL),
    CHECK ((status = 'left') = (left_at IS NOT NULL)),
    CHECK (joined_at >= created_at),
    CHECK (left_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX membership_by_member ON membership (member_id, status);
CREATE INDEX membership_by_channel ON membership (channel_id, status);
CREATE UNIQUE INDEX one_current_membership ON membership (channel_id, member_id) WHERE status IN ('requested', 'active');

CREATE TABLE message (  -- A text that a member wrote in a channel
    message_id TEXT PRIMARY KEY,  -- Message number
    channel_id TEXT NOT NULL REFERENCES channel ON DELETE RESTRICT,  -- Channel it is in
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who wrote it
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 500),  -- What it says
    status TEXT NOT NULL CHECK (status IN ('scheduled', 'posted', 'canceled', 'deleted')),  -- Waiting, visible, called off before it was posted, or taken down
    send_at TEXT,  -- Planned moment, if it was scheduled
    posted_at TEXT,  -- When it was posted, if it was
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),  -- Whether it is on top of its channel
    edits INTEGER NOT NULL DEFAULT 0 CHECK (edits >= 0),  -- How often its text was changed
    likes INTEGER NOT NULL DEFAULT 0 CHECK (likes >= 0),  -- How many people liked it
    created_at TEXT NOT NULL,  -- When it was written
    CHECK (status NOT IN ('scheduled', 'canceled') OR send_at IS NOT NULL),
    CHECK ((status IN ('posted', 'deleted')) = (posted_at IS NOT NULL)),
    CHECK (pinned = 0 OR status = 'posted'),
    CHECK (send_at > created_at),
    CHECK (posted_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_by_channel ON message (channel_id, status);
CREATE INDEX message_by_member ON message (member_id, status);

CREATE TABLE boost (  -- Paid showing of a posted message for some days
    boost_id TEXT PRIMARY KEY,  -- Boost number
    message_id TEXT NOT NULL REFERENCES message ON DELETE RESTRICT,  -- Message shown to more people
    starts_on TEXT NOT NULL,  -- First day
    ends_on TEXT NOT NULL,  -- Last day
    days INTEGER NOT NULL CHECK (days BETWEEN 1 AND 30),  -- Days booked
    daily_cents INTEGER NOT NULL CHECK (daily_cents BETWEEN 100 AND 10000),  -- Price of one day, in cents
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'canceled', 'finished')),  -- Waiting or running, called off, or over
    created_at TEXT NOT NULL,  -- When it was booked
    CHECK (ends_on >= starts_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX boost_by_message ON boost (message_id, status);
CREATE UNIQUE INDEX one_open_boost_per_message ON boost (message_id) WHERE status = 'booked';

CREATE TABLE ledger_entry (  -- One amount on the account of a member
    ledger_entry_id TEXT PRIMARY KEY,  -- Entry number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Whose account
    kind TEXT NOT NULL CHECK (kind IN ('boost', 'refund', 'fee', 'credit', 'payment')),  -- What sort of amount
    reason TEXT CHECK (reason IN ('plan_fee', 'handle_fee', 'late_cancel_fee', 'move_fee', 'goodwill', 'outage', 'loyalty')),  -- What a fee or credit is for
    amount_cents INTEGER NOT NULL,  -- Amount in cents; negative lowers the balance
    boost_id TEXT REFERENCES boost ON DELETE RESTRICT,  -- Boost it belongs to, if any
    created_at TEXT NOT NULL,  -- When it was entered
    CHECK ((kind IN ('boost', 'fee') AND amount_cents > 0) OR (kind IN ('refund', 'credit', 'payment') AND amount_cents < 0)),
    CHECK ((kind IN ('fee', 'credit')) = (reason IS NOT NULL)),
    CHECK (kind NOT IN ('boost', 'refund') OR boost_id IS NOT NULL),
    CHECK (kind NOT IN ('credit', 'payment') OR boost_id IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_entry_by_member ON ledger_entry (member_id, created_at);
CREATE INDEX ledger_entry_by_boost ON ledger_entry (boost_id);

CREATE TABLE report (  -- A complaint by a member about a message of somebody else
    report_id TEXT PRIMARY KEY,  -- Report number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who reported it
    message_id TEXT NOT NULL REFERENCES message ON DELETE RESTRICT,  -- Message reported
    reason TEXT NOT NULL CHECK (reason IN ('spam', 'scam', 'rude', 'off_topic', 'private_information')),  -- What is wrong with it
    details TEXT CHECK (length(details) > 0),  -- The member's own words
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'withdrawn', 'upheld', 'dismissed')),  -- Being looked at, taken back, or decided
    created_at TEXT NOT NULL,  -- When it was filed
    closed_at TEXT,  -- When it was withdrawn or decided, if it was
    CHECK ((status = 'open') = (closed_at IS NULL)),
    CHECK (closed_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX report_by_member ON report (member_id, status);
CREATE INDEX report_by_message ON report (message_id);
CREATE UNIQUE INDEX one_open_report_per_member_and_message ON report (member_id, message_id) WHERE status = 'open';

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
