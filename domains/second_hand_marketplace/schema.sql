-- A second-hand marketplace: members sell used things to each other; the house holds the money until arrival.

CREATE TABLE member (                        -- A person who buys and sells
    member_id     TEXT PRIMARY KEY,          -- Member number
    name          TEXT NOT NULL CHECK (name <> ''),                     -- Full name
    email         TEXT NOT NULL UNIQUE CHECK (instr(email, '@') > 0),   -- Email address
    phone         TEXT NOT NULL UNIQUE CHECK (phone <> ''),             -- Phone number
    postcode      TEXT NOT NULL CHECK (postcode <> ''),                 -- Home postcode
    city          TEXT NOT NULL CHECK (city <> ''),                     -- Home city
    tier          TEXT NOT NULL DEFAULT 'basic' CHECK (tier IN ('basic', 'plus', 'pro')),  -- Kind of membership
    state         TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'closed')),  -- State of the account
    state_reason  TEXT,                      -- Why it is suspended
    joined_on     TEXT NOT NULL,             -- Day of joining
    CHECK ((state = 'suspended') = (state_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE listing (                       -- A thing that a member sells
    listing_id     TEXT PRIMARY KEY,         -- Listing number
    member_id      TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Seller
    title          TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 80),  -- Title
    description    TEXT,                     -- Longer text
    category       TEXT NOT NULL CHECK (category IN ('clothing', 'electronics', 'furniture', 'books', 'toys', 'sports', 'household')),  -- Category
    condition      TEXT NOT NULL CHECK (condition IN ('new', 'like_new', 'good', 'fair', 'for_parts')),  -- Condition of the item
    price_cents    INTEGER NOT NULL CHECK (price_cents >= 100),         -- Asking price in cents
    postage_cents  INTEGER NOT NULL DEFAULT 0 CHECK (postage_cents >= 0),  -- Postage in cents
    negotiable     INTEGER NOT NULL DEFAULT 1 CHECK (negotiable IN (0, 1)),  -- Whether offers are welcome
    state          TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'active', 'reserved', 'sold', 'withdrawn')),  -- State
    price_changes  INTEGER NOT NULL DEFAULT 0 CHECK (price_changes >= 0),  -- How often the price changed
    renewals       INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0),    -- How often renewed
    created_at     TEXT NOT NULL,            -- When created
    published_at   TEXT CHECK (published_at >= created_at),             -- When last published; null in a draft
    expires_on     TEXT,                     -- Last day on offer; null in a draft
    CHECK ((state = 'draft') = (published_at IS NULL)),
    CHECK ((published_at IS NULL) = (expires_on IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX listing_by_member ON listing (member_id, state);

CREATE TABLE offer (                         -- A price that a member offers for a listing
    offer_id       TEXT PRIMARY KEY,         -- Offer number
    listing_id     TEXT NOT NULL REFERENCES listing ON DELETE RESTRICT,  -- Listing
    member_id      TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who offers
    amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),           -- Offered price in cents
    counter_cents  INTEGER CHECK (counter_cents > amount_cents),        -- Price that the seller countered, in cents
    state          TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'countered', 'accepted', 'declined', 'withdrawn')),  -- State
    created_at     TEXT NOT NULL,            -- When made
    decided_at     TEXT CHECK (decided_at >= created_at),               -- When accepted, declined or withdrawn
    CHECK ((state IN ('open', 'countered')) = (decided_at IS NULL)),
    CHECK (state <> 'open' OR counter_cents IS NULL),
    CHECK (state <> 'countered' OR counter_cents IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX offer_by_listing ON offer (listing_id, state);
CREATE INDEX offer_by_member ON offer (member_id, state);
CREATE UNIQUE INDEX offer_pending ON offer (listing_id, member_id) WHERE state IN ('open', 'countered');

CREATE TABLE purchase (                      -- The sale of a listing to a buyer
    purchase_id       TEXT PRIMARY KEY,      -- Purchase number
    listing_id        TEXT NOT NULL REFERENCES listing ON DELETE RESTRICT,  -- Listing
    buyer_id          TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who buys
    seller_id         TEXT NOT NULL REFERENCES member ON DELETE RESTRICT CHECK (seller_id <> buyer_id),  -- Member who sells
    price_cents       INTEGER NOT NULL CHECK (price_cents > 0),         -- Agreed price in cents
    postage_cents     INTEGER NOT NULL CHECK (postage_cents >= 0),      -- Postage in cents
    protection_cents  INTEGER NOT NULL CHECK (protection_cents = 70 + price_cents * 5 / 100),  -- Buyer protection in cents
    commission_cents  INTEGER NOT NULL CHECK (commission_cents = price_cents * 8 / 100),  -- Commission in cents
    refunded_cents    INTEGER NOT NULL DEFAULT 0 CHECK (refunded_cents BETWEEN 0 AND price_cents + postage_cents + protection_cents),  -- Refunded to the buyer, in cents
    state             TEXT NOT NULL DEFAULT 'awaiting_payment' CHECK (state IN ('awaiting_payment', 'paid', 'shipped', 'disputed', 'completed', 'cancelled', 'refunded')),  -- State
    address           TEXT NOT NULL CHECK (address <> ''),              -- Where to send it
    carrier           TEXT,                  -- Who carries the parcel; null until shipped
    tracking_code     TEXT,                  -- Code of the parcel
    cancelled_by      TEXT CHECK (cancelled_by IN ('buyer', 'seller')),  -- Who cancelled
    rating            INTEGER CHECK (rating BETWEEN 1 AND 5),           -- Stars from the buyer
    review            TEXT,                  -- Words of the buyer
    created_at        TEXT NOT NULL,         -- When bought
    paid_at           TEXT CHECK (paid_at >= created_at),               -- When paid
    shipped_at        TEXT CHECK (shipped_at >= paid_at),               -- When shipped
    ended_at          TEXT CHECK (ended_at >= created_at),              -- When completed, cancelled or refunded
    CHECK (state <> 'awaiting_payment' OR paid_at IS NULL),
    CHECK (state IN ('awaiting_payment', 'cancelled') OR paid_at IS NOT NULL),
    CHECK ((state IN ('shipped', 'disputed', 'completed', 'refunded')) = (shipped_at IS NOT NULL)),
    CHECK ((carrier IS NULL) = (shipped_at IS NULL)),
    CHECK (tracking_code IS NULL OR carrier IS NOT NULL),
    CHECK ((state = 'cancelled') = (cancelled_by IS NOT NULL)),
    CHECK ((state IN ('completed', 'cancelled', 'refunded')) = (ended_at IS NOT NULL)),
    CHECK (refunded_cents = 0 OR state IN ('completed', 'cancelled', 'refunded')),
    CHECK (rating IS NULL OR state = 'completed'),
    CHECK (review IS NULL OR rating IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX purchase_by_listing ON purchase (listing_id);
CREATE UNIQUE INDEX purchase_standing ON purchase (listing_id) WHERE state <> 'cancelled';
CREATE INDEX purchase_by_buyer ON purchase (buyer_id, state);
CREATE INDEX purchase_by_seller ON purchase (seller_id, state);

CREATE TABLE movement (                      -- Money put to or taken from the balance of a member
    movement_id   TEXT PRIMARY KEY,          -- Movement number
    member_id     TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,   -- Whose money
    kind          TEXT NOT NULL CHECK (kind IN ('top_up', 'payment', 'sale', 'refund', 'withdrawal', 'fee', 'credit')),  -- Kind
    amount_cents  INTEGER NOT NULL,          -- Cents, negative if taken
    purchase_id   TEXT REFERENCES purchase ON DELETE RESTRICT,          -- Purchase it belongs to
    reason        TEXT,                      -- Why a fee or credit was booked
    created_at    TEXT NOT NULL,             -- When booked
    CHECK (CASE WHEN kind IN ('payment', 'withdrawal', 'fee') THEN amount_cents < 0 ELSE amount_cents > 0 END),
    CHECK (kind NOT IN ('payment', 'sale', 'refund') OR purchase_id IS NOT NULL),
    CHECK (kind NOT IN ('top_up', 'withdrawal') OR purchase_id IS NULL),
    CHECK ((kind IN ('fee', 'credit')) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX movement_by_member ON movement (member_id, created_at);
CREATE INDEX movement_by_purchase ON movement (purchase_id);

CREATE TABLE dispute (                       -- A complaint of a buyer about a purchase
    dispute_id    TEXT PRIMARY KEY,          -- Dispute number
    purchase_id   TEXT NOT NULL REFERENCES purchase ON DELETE RESTRICT,  -- Purchase
    reason        TEXT NOT NULL CHECK (reason IN ('not_received', 'damaged', 'not_as_described')),  -- What is wrong
    claim_cents   INTEGER NOT NULL CHECK (claim_cents > 0),             -- Claimed by the buyer, in cents
    statement     TEXT NOT NULL CHECK (statement <> ''),                -- Words of the buyer
    answer        TEXT,                      -- Words of the seller
    state         TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'resolved', 'withdrawn')),  -- State
    outcome       TEXT CHECK (outcome IN ('full_refund', 'part_refund', 'no_refund')),  -- Decision
    refund_cents  INTEGER CHECK (refund_cents >= 0),                    -- Refund decided, in cents
    created_at    TEXT NOT NULL,             -- When opened
    answered_at   TEXT CHECK (answered_at >= created_at),               -- When answered
    ended_at      TEXT CHECK (ended_at >= created_at),                  -- When resolved or withdrawn
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CHECK (state <> 'open' OR answered_at IS NULL),
    CHECK (state <> 'answered' OR answered_at IS NOT NULL),
    CHECK ((state = 'resolved') = (outcome IS NOT NULL)),
    CHECK ((outcome IS NULL) = (refund_cents IS NULL)),
    CHECK ((outcome = 'no_refund') = (refund_cents = 0)),
    CHECK ((state IN ('resolved', 'withdrawn')) = (ended_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX dispute_by_purchase ON dispute (purchase_id);
CREATE UNIQUE INDEX dispute_under_way ON dispute (purchase_id) WHERE state IN ('open', 'answered');

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
