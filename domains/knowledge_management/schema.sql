-- A company's knowledge base: employees write, review, and check articles, follow spaces, and ask for answers.

CREATE TABLE member (  -- An employee who reads, writes, or reviews
    member_id TEXT PRIMARY KEY,  -- Member number
    name TEXT NOT NULL,  -- Full name
    email TEXT NOT NULL UNIQUE,  -- Work email
    phone TEXT NOT NULL,  -- Work phone
    badge_number TEXT NOT NULL UNIQUE,  -- Number on the badge
    team TEXT NOT NULL,  -- Team in the company, which pays the fees of its requests
    level TEXT NOT NULL CHECK (level IN ('reader', 'contributor', 'expert')),  -- Standing in the knowledge base
    joined_on TEXT NOT NULL  -- First day in the knowledge base
) STRICT, WITHOUT ROWID;

CREATE TABLE space (  -- A section of the knowledge base
    space_id TEXT PRIMARY KEY,  -- Space number
    name TEXT NOT NULL UNIQUE,  -- Name of the space
    sensitivity TEXT NOT NULL CHECK (sensitivity IN ('open', 'internal', 'restricted')),  -- How closed it is
    steward_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who runs it
    review_cycle_days INTEGER NOT NULL CHECK (review_cycle_days > 0),  -- Days between checks of an article
    frozen_until TEXT  -- Last day of the content freeze, if there is or was one
) STRICT, WITHOUT ROWID;

CREATE INDEX space_by_steward ON space (steward_id);

CREATE TABLE article (  -- A page in a space
    article_id TEXT PRIMARY KEY,  -- Article number
    space_id TEXT NOT NULL REFERENCES space ON DELETE RESTRICT,  -- Space it stands in
    owner_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who answers for it
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 120),  -- Title
    kind TEXT NOT NULL CHECK (kind IN ('how_to', 'policy', 'faq', 'troubleshooting', 'reference')),  -- Kind of article
    state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'published', 'archived')),  -- State of the article
    monthly_views INTEGER NOT NULL DEFAULT 0 CHECK (monthly_views >= 0),  -- Views in the last 30 days
    created_at TEXT NOT NULL,  -- When it was created
    published_at TEXT,  -- When it was published
    verified_on TEXT,  -- Day it was last confirmed to be right
    review_due_on TEXT,  -- Day its next check is due
    postponements INTEGER NOT NULL DEFAULT 0 CHECK (postponements >= 0),  -- Postponements since the last check
    archived_at TEXT,  -- When it was archived
    archive_reason TEXT CHECK (archive_reason IN ('outdated', 'duplicate', 'replaced')),  -- Why it was archived
    replacement_id TEXT REFERENCES article ON DELETE RESTRICT,  -- Article that stands in for it
    CHECK ((state = 'draft') = (published_at IS NULL)),
    CHECK ((state = 'draft') = (verified_on IS NULL)),
    CHECK ((state = 'published') = (review_due_on IS NOT NULL)),
    CHECK ((state = 'archived') = (archived_at IS NOT NULL)),
    CHECK ((state = 'archived') = (archive_reason IS NOT NULL)),
    CHECK ((replacement_id IS NOT NULL) = (coalesce(archive_reason, 'outdated') <> 'outdated')),
    CHECK (replacement_id <> article_id),
    CHECK (published_at >= created_at),
    CHECK (verified_on >= substr(published_at, 1, 10)),
    CHECK (review_due_on > verified_on),
    CHECK (archived_at >= published_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX article_by_space ON article (space_id, state);
CREATE INDEX article_by_owner ON article (owner_id, state);
CREATE INDEX article_by_replacement ON article (replacement_id);
CREATE UNIQUE INDEX article_title_in_use ON article (space_id, title) WHERE state <> 'archived';

CREATE TABLE revision (  -- A change to an article, and its review
    revision_id TEXT PRIMARY KEY,  -- Revision number
    article_id TEXT NOT NULL REFERENCES article ON DELETE RESTRICT,  -- Article it changes
    author_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who wrote it
    reviewer_id TEXT REFERENCES member ON DELETE RESTRICT,  -- Member who reviews it, from the first submission on
    summary TEXT NOT NULL CHECK (length(summary) BETWEEN 1 AND 200),  -- What it changes
    size TEXT NOT NULL CHECK (size IN ('minor', 'major')),  -- Size of the change
    state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'in_review', 'changes_requested', 'approved', 'withdrawn')),  -- State of the revision
    created_at TEXT NOT NULL,  -- When it was started
    submitted_at TEXT,  -- When it was last submitted
    due_on TEXT,  -- Day the review is due
    decided_at TEXT,  -- When it was approved, returned, or withdrawn
    comment TEXT CHECK (length(comment) BETWEEN 1 AND 300),  -- Last comment of a reviewer
    CHECK (reviewer_id <> author_id),
    CHECK (state = 'withdrawn' OR (state = 'draft') = (submitted_at IS NULL)),
    CHECK ((reviewer_id IS NULL) = (submitted_at IS NULL)),
    CHECK ((due_on IS NULL) = (submitted_at IS NULL)),
    CHECK ((decided_at IS NULL) = (state IN ('draft', 'in_review'))),
    CHECK (comment IS NULL OR submitted_at IS NOT NULL),
    CHECK (state <> 'changes_requested' OR comment IS NOT NULL),
    CHECK (submitted_at >= created_at),
    CHECK (due_on >= substr(submitted_at, 1, 10)),
    CHECK (decided_at >= coalesce(submitted_at, created_at))
) STRICT, WITHOUT ROWID;

CREATE INDEX revision_by_article ON revision (article_id, state);
CREATE INDEX revision_by_author ON revision (author_id, state);
CREATE INDEX revision_by_reviewer ON revision (reviewer_id, state);
CREATE UNIQUE INDEX revision_in_review ON revision (article_id) WHERE state = 'in_review';
CREATE UNIQUE INDEX revision_unfinished ON revision (article_id, author_id) WHERE state IN ('draft', 'in_review', 'changes_requested');

CREATE TABLE subscription (  -- A member's following of a space
    subscription_id TEXT PRIMARY KEY,  -- Subscription number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who follows
    space_id TEXT NOT NULL REFERENCES space ON DELETE RESTRICT,  -- Space that is followed
    frequency TEXT NOT NULL CHECK (frequency IN ('instant', 'daily', 'weekly')),  -- How often updates come
    started_on TEXT NOT NULL,  -- First day
    paused_until TEXT,  -- Last day of the last pause
    pauses INTEGER NOT NULL DEFAULT 0 CHECK (pauses >= 0),  -- Pauses so far
    ended_on TEXT,  -- Day it was canceled
    CHECK (paused_until > started_on),
    CHECK (paused_until IS NULL OR pauses > 0),
    CHECK (paused_until IS NULL OR ended_on IS NULL),
    CHECK (ended_on >= started_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX subscription_by_member ON subscription (member_id);
CREATE INDEX subscription_by_space ON subscription (space_id);
CREATE UNIQUE INDEX subscription_running ON subscription (member_id, space_id) WHERE ended_on IS NULL;

CREATE TABLE request (  -- What a member asks of the knowledge team
    request_id TEXT PRIMARY KEY,  -- Request number
    space_id TEXT NOT NULL REFERENCES space ON DELETE RESTRICT,  -- Space it belongs to
    asker_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who asks
    assignee_id TEXT REFERENCES member ON DELETE RESTRICT,  -- Member who works on it
    article_id TEXT REFERENCES article ON DELETE RESTRICT,  -- Article that answers it
    kind TEXT NOT NULL CHECK (kind IN ('question', 'new_article', 'correction', 'research')),  -- Kind of request
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 120),  -- What is asked for
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'claimed', 'answered', 'withdrawn')),  -- State of the request
    needed_by TEXT NOT NULL,  -- Day the answer is needed
    estimated_hours INTEGER NOT NULL CHECK (estimated_hours BETWEEN 1 AND 40),  -- Hours of work expected
    rush INTEGER NOT NULL DEFAULT 0 CHECK (rush IN (0, 1)),  -- 1 if it jumps the line
    created_at TEXT NOT NULL,  -- When it was asked
    claimed_at TEXT,  -- When it was claimed
    closed_at TEXT,  -- When it was answered or withdrawn
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),  -- Asker's rating of the answer
    fee_cents INTEGER NOT NULL DEFAULT 0 CHECK (fee_cents >= 0),  -- Fees charged so far
    fee_reason TEXT CHECK (fee_reason IN ('rush', 'late_withdrawal', 'extra_hours')),  -- Reason of the last fee
    CHECK (assignee_id <> asker_id),
    CHECK ((assignee_id IS NULL) = (claimed_at IS NULL)),
    CHECK (state = 'withdrawn' OR (state = 'new') = (assignee_id IS NULL)),
    CHECK ((state IN ('new', 'claimed')) = (closed_at IS NULL)),
    CHECK ((state = 'answered') = (article_id IS NOT NULL)),
    CHECK (rating IS NULL OR state = 'answered'),
    CHECK ((fee_cents = 0) = (fee_reason IS NULL)),
    CHECK (needed_by >= substr(created_at, 1, 10)),
    CHECK (claimed_at >= created_at),
    CHECK (closed_at >= coalesce(claimed_at, created_at))
) STRICT, WITHOUT ROWID;

CREATE INDEX request_by_space ON request (space_id, state);
CREATE INDEX request_by_asker ON request (asker_id, state);
CREATE INDEX request_by_assignee ON request (assignee_id, state);
CREATE INDEX request_by_article ON request (article_id);
CREATE UNIQUE INDEX request_unfinished ON request (asker_id, space_id, title) WHERE state IN ('new', 'claimed');

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
