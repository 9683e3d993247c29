-- A town library: members borrow books and queue for those that are out.

CREATE TABLE member (                       -- A person with a library card
    member_id   TEXT PRIMARY KEY,           -- Card number
    name        TEXT NOT NULL,              -- Full name
    email       TEXT NOT NULL UNIQUE,       -- Address for notices, lower case
    phone       TEXT,                       -- Number for notices
    status      TEXT NOT NULL DEFAULT 'active'
                CHECK (status IN ('active', 'suspended')),  -- Suspended members may not borrow
    owed_cents  INTEGER NOT NULL DEFAULT 0
                CHECK (owed_cents >= 0)     -- Unpaid late fees
) STRICT, WITHOUT ROWID;

CREATE TABLE book (                         -- A title that the library owns copies of
    book_id  TEXT PRIMARY KEY,              -- Catalogue number
    title    TEXT NOT NULL,                 -- Title on the cover
    author   TEXT NOT NULL,                 -- Full name of the author
    topic    TEXT NOT NULL,                 -- Shelf it stands on
    copies   INTEGER NOT NULL CHECK (copies > 0)  -- Copies owned, lent out or not
) STRICT, WITHOUT ROWID;

CREATE TABLE loan (                         -- One copy in one member's hands, now or in the past
    loan_id      TEXT PRIMARY KEY,          -- Loan number
    book_id      TEXT NOT NULL REFERENCES book ON DELETE RESTRICT,      -- What was borrowed
    member_id    TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,    -- Who borrowed it
    borrowed_on  TEXT NOT NULL,             -- First day
    due_on       TEXT NOT NULL CHECK (due_on >= borrowed_on),           -- Last day without a fee
    renewals     INTEGER NOT NULL DEFAULT 0 CHECK (renewals BETWEEN 0 AND 2),  -- How often it was extended
    status       TEXT NOT NULL DEFAULT 'out' CHECK (status IN ('out', 'returned')),  -- Where the copy is
    returned_at  TEXT                       -- When it came back
) STRICT, WITHOUT ROWID;

CREATE INDEX loan_by_book ON loan (book_id, status);
CREATE INDEX loan_by_member ON loan (member_id, status);

CREATE TABLE hold (                         -- A member's place in the queue for a book
    hold_id    TEXT PRIMARY KEY,            -- Hold number
    book_id    TEXT NOT NULL REFERENCES book ON DELETE RESTRICT,        -- What is wanted
    member_id  TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,      -- Who wants it
    placed_at  TEXT NOT NULL,               -- When the member queued
    status     TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'cancelled')),  -- Still wanted or not
    note       TEXT                         -- Words for the desk, such as when the member can come
) STRICT, WITHOUT ROWID;

CREATE INDEX hold_by_book ON hold (book_id, status);
CREATE INDEX hold_by_member ON hold (member_id, status);

CREATE TABLE identification (           -- That a caller was identified
    member_id  TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,      -- Who it was
    noted_on   TEXT NOT NULL,               -- Day for which it counts
    PRIMARY KEY (member_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (             -- A request that a rule did not allow
    member_id    TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,    -- Who asked
    subject_id   TEXT NOT NULL,             -- Record that it was about
    rule_code    TEXT NOT NULL,             -- Rule that did not allow it
    declined_on  TEXT NOT NULL,             -- Day of it
    PRIMARY KEY (member_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
