-- A mail host: holders of mailboxes, their messages, and their filters for new mail.

CREATE TABLE account (  -- A mailbox and its holder, who calls
    account_id TEXT PRIMARY KEY,  -- Account number
    holder_name TEXT NOT NULL,  -- Who the mailbox belongs to
    email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),  -- Address of the mailbox, in lower case
    phone TEXT NOT NULL,  -- Phone number of the holder
    zip_code TEXT NOT NULL CHECK (length(zip_code) = 5),  -- ZIP code of the holder
    recovery_email TEXT CHECK (lower(recovery_email) <> email),  -- Other address where sign-in codes go
    contact_changed_on TEXT CHECK (contact_changed_on >= opened_on),  -- Day of the last change of contact details
    plan TEXT NOT NULL CHECK (plan IN ('free', 'plus', 'business')),  -- Plan the holder is on
    state TEXT NOT NULL CHECK (state IN ('active', 'suspended')),  -- Whether mail comes in and goes out
    opened_on TEXT NOT NULL,  -- Day the account was opened
    plan_since TEXT NOT NULL CHECK (plan_since >= opened_on),  -- Day the plan began
    renews_on TEXT NOT NULL CHECK (renews_on > opened_on),  -- Next monthly renewal
    extra_storage_mb INTEGER NOT NULL DEFAULT 0 CHECK (extra_storage_mb >= 0 AND extra_storage_mb % 50 = 0),  -- Storage bought on top of the plan's, in blocks of 50 MB
    balance_cents INTEGER NOT NULL DEFAULT 0 CHECK (balance_cents >= 0),  -- What the holder owes
    card_last4 TEXT CHECK (length(card_last4) = 4),  -- Last four digits of the card on file
    last_paid_on TEXT CHECK (last_paid_on >= opened_on),  -- Day of the last payment
    credits_this_year_cents INTEGER NOT NULL DEFAULT 0 CHECK (credits_this_year_cents >= 0),  -- Credits given since January 1
    last_credit_on TEXT CHECK (last_credit_on >= opened_on),  -- Day of the last credit, this year or earlier
    last_fee_kind TEXT CHECK (last_fee_kind IN ('plan_change', 'storage', 'recall', 'restore', 'late_payment')),  -- Kind of the last fee
    last_fee_cents INTEGER CHECK (last_fee_cents > 0),  -- Amount of the last fee
    last_fee_on TEXT CHECK (last_fee_on >= opened_on),  -- Day of the last fee
    forward_to TEXT CHECK (lower(forward_to) <> email),  -- Address to which all new mail is forwarded
    forwarding_since TEXT CHECK (forwarding_since >= opened_on),  -- Day forwarding began
    vacation_starts_on TEXT,  -- First day of the vacation reply
    vacation_ends_on TEXT CHECK (vacation_ends_on >= vacation_starts_on),  -- Last day of the vacation reply
    vacation_text TEXT,  -- Wording of the vacation reply
    CHECK (plan <> 'free' OR extra_storage_mb = 0),
    CHECK ((last_fee_kind IS NULL) = (last_fee_cents IS NULL) AND (last_fee_kind IS NULL) = (last_fee_on IS NULL)),
    CHECK ((forward_to IS NULL) = (forwarding_since IS NULL)),
    CHECK ((vacation_starts_on IS NULL) = (vacation_ends_on IS NULL) AND (vacation_starts_on IS NULL) = (vacation_text IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE message (  -- A message of an account, received or outgoing
    message_id TEXT PRIMARY KEY,  -- Message number
    account_id TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Account it belongs to
    folder TEXT NOT NULL CHECK (folder IN ('inbox', 'archive', 'spam', 'drafts', 'scheduled', 'sent', 'trash')),  -- Where it is
    correspondent_name TEXT NOT NULL,  -- Sender of a received message, recipient of an outgoing one
    correspondent_email TEXT NOT NULL,  -- Address of the correspondent
    subject TEXT NOT NULL,  -- Subject line
    body TEXT NOT NULL,  -- What it says
    attachment_name TEXT,  -- Name of the attached file
    dated_at TEXT NOT NULL,  -- When it was received, written, sent, or recalled
    size_kb INTEGER NOT NULL CHECK (size_kb > 0),  -- Size with its attachment
    is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),  -- Whether the holder has read it
    send_at TEXT CHECK (send_at > dated_at),  -- When a scheduled message is to go out
    opened_at TEXT CHECK (opened_at >= dated_at),  -- When the recipient opened a sent message
    recalled_at TEXT,  -- When it was last recalled
    trashed_at TEXT CHECK (trashed_at >= dated_at),  -- When a message in the trash was put there
    folder_before_trash TEXT CHECK (folder_before_trash IN ('inbox', 'archive', 'spam', 'drafts', 'sent')),  -- Where a message in the trash was before
    restored_at TEXT,  -- When it was last put back from the trash
    CHECK ((folder = 'scheduled') = (send_at IS NOT NULL)),
    CHECK ((folder = 'trash') = (trashed_at IS NOT NULL) AND (folder = 'trash') = (folder_before_trash IS NOT NULL)),
    CHECK (opened_at IS NULL OR folder = 'sent' OR folder_before_trash = 'sent')
) STRICT, WITHOUT ROWID;

CREATE INDEX message_by_account ON message (account_id, folder, dated_at);

CREATE TABLE filter (  -- An account's rule for new mail
    filter_id TEXT PRIMARY KEY,  -- Filter number
    account_id TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Account whose mail it looks at
    name TEXT NOT NULL,  -- What the holder calls it
    match_on TEXT NOT NULL CHECK (match_on IN ('sender', 'subject')),  -- What it looks at
    match_text TEXT NOT NULL,  -- Text it looks for
    action TEXT NOT NULL CHECK (action IN ('archive', 'spam', 'trash', 'forward')),  -- What it does with new mail that matches
    forward_to TEXT,  -- Address to which matching mail is forwarded
    is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),  -- Whether it is on
    created_at TEXT NOT NULL,  -- When it was made
    match_count INTEGER NOT NULL DEFAULT 0 CHECK (match_count >= 0),  -- Messages it has caught so far
    last_matched_on TEXT CHECK (last_matched_on >= substr(created_at, 1, 10)),  -- Last day on which it caught one
    CHECK ((action = 'forward') = (forward_to IS NOT NULL)),
    CHECK ((match_count = 0) = (last_matched_on IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX filter_by_account_and_name ON filter (account_id, name);

CREATE TABLE identification (           -- That a caller was identified
    account_id    TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (account_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    account_id    TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (account_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
