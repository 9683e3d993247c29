-- A second-hand marketplace: members list used goods, bargain, buy, ship, and settle disputes.

CREATE TABLE member (  -- A person who buys and sells
    member_id TEXT PRIMARY KEY,  -- Member number
    name TEXT NOT NULL,  -- Full name
    email TEXT UNIQUE,  -- Email address
    phone TEXT UNIQUE,  -- Phone number
    home_address TEXT,  -- Street, city, state, ZIP
    tier TEXT NOT NULL DEFAULT 'basic' CHECK (tier IN ('basic', 'plus', 'pro')),  -- Tier
    tier_since TEXT NOT NULL,  -- Day of the latest change of tier
    joined_on TEXT NOT NULL,  -- Date of joining
    balance_cents INTEGER NOT NULL DEFAULT 0,  -- Balance, below zero if owed
    away_until TEXT,  -- Last day of a vacation
    CHECK (tier_since >= joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE listing (  -- A used item for sale
    listing_id TEXT PRIMARY KEY,  -- Listing number
    seller_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who sells
    title TEXT NOT NULL,  -- What is sold
    description TEXT,  -- Seller's description
    category TEXT NOT NULL CHECK (category IN ('electronics', 'furniture', 'clothing', 'books', 'toys', 'sports', 'home')),  -- Category
    condition TEXT NOT NULL CHECK (condition IN ('new', 'like_new', 'good', 'fair')),  -- Condition
    price_cents INTEGER NOT NULL CHECK (price_cents >= 100),  -- Asking price
    shipping_cents INTEGER NOT NULL CHECK (shipping_cents >= 0),  -- Shipping, 0 if free
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'hidden', 'reserved', 'sold', 'removed')),  -- State
    created_at TEXT NOT NULL,  -- When it was drafted
    published_on TEXT,  -- Latest day it went on sale
    expires_on TEXT,  -- Last day on sale
    extensions INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0),  -- Times extended
    CHECK ((published_on IS NULL) = (expires_on IS NULL)),
    CHECK (expires_on >= published_on),
    CHECK (status NOT IN ('active', 'reserved', 'sold') OR published_on IS NOT NULL),
    CHECK (status <> 'draft' OR published_on IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX listing_by_seller ON listing (seller_id, status);
CREATE INDEX listing_by_status ON listing (status, price_cents);

CREATE TABLE offer (  -- A price that a member offers for a listing
    offer_id TEXT PRIMARY KEY,  -- Offer number
    listing_id TEXT NOT NULL REFERENCES listing ON DELETE RESTRICT,  -- For what
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who made it
    amount_cents INTEGER NOT NULL CHECK (amount_cents >= 100),  -- Price offered
    counter_cents INTEGER,  -- Price the seller asked instead
    message TEXT,  -- Words to the seller
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'countered', 'accepted', 'declined', 'withdrawn')),  -- State
    made_on TEXT NOT NULL,  -- When it was made
    changes INTEGER NOT NULL DEFAULT 0 CHECK (changes >= 0),  -- Times the amount changed
    decided_on TEXT,  -- When it was settled
    CHECK (counter_cents > amount_cents),
    CHECK (status <> 'countered' OR counter_cents IS NOT NULL),
    CHECK ((status IN ('pending', 'countered')) = (decided_on IS NULL)),
    CHECK (decided_on >= made_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX offer_by_listing ON offer (listing_id, status);
CREATE INDEX offer_by_member ON offer (member_id, status);
CREATE UNIQUE INDEX offer_open_once ON offer (listing_id, member_id) WHERE status IN ('pending', 'countered');

CREATE TABLE purchase (  -- A deal over a listing
    purchase_id TEXT PRIMARY KEY,  -- Purchase number
    listing_id TEXT NOT NULL REFERENCES listing ON DELETE RESTRICT,  -- What is bought
    buyer_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who buys
    item_cents INTEGER NOT NULL CHECK (item_cents >= 100),  -- Price of the item
    shipping_cents INTEGER NOT NULL CHECK (shipping_cents >= 0),  -- Shipping
    status TEXT NOT NULL DEFAULT 'awaiting_payment' CHECK (status IN ('awaiting_payment', 'paid', 'shipped', 'delivered', 'disputed', 'refunded', 'canceled')),  -- State
    made_on TEXT NOT NULL,  -- When it was made
    pay_by TEXT NOT NULL,  -- Last day to pay
    paid_on TEXT,  -- When it was paid
    payment_method TEXT CHECK (payment_method IN ('card', 'balance')),  -- How it was paid
    shipped_on TEXT,  -- When it shipped
    carrier TEXT CHECK (carrier IN ('USPS', 'UPS', 'FedEx')),  -- Carrier
    tracking_number TEXT UNIQUE,  -- Tracking number
    ship_to TEXT,  -- Delivery address
    delivered_on TEXT,  -- When it arrived
    cancel_reason TEXT,  -- Why it was canceled
    closed_on TEXT,  -- When it was canceled or refunded
    CHECK (pay_by >= made_on),
    CHECK (paid_on >= made_on),
    CHECK (shipped_on >= paid_on),
    CHECK (delivered_on >= shipped_on),
    CHECK ((paid_on IS NULL) = (payment_method IS NULL)),
    CHECK ((shipped_on IS NULL) = (carrier IS NULL)),
    CHECK ((shipped_on IS NULL) = (tracking_number IS NULL)),
    CHECK (status NOT IN ('paid', 'shipped', 'delivered', 'disputed', 'refunded') OR paid_on IS NOT NULL),
    CHECK (status NOT IN ('shipped', 'delivered', 'disputed', 'refunded') OR shipped_on IS NOT NULL),
    CHECK (status <> 'delivered' OR delivered_on IS NOT NULL),
    CHECK ((status IN ('canceled', 'refunded')) = (closed_on IS NOT NULL)),
    CHECK ((status = 'canceled') = (cancel_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX purchase_by_listing ON purchase (listing_id);
CREATE INDEX purchase_by_buyer ON purchase (buyer_id, status);
CREATE UNIQUE INDEX purchase_live_once ON purchase (listing_id) WHERE status IN ('awaiting_payment', 'paid', 'shipped', 'delivered', 'disputed');

CREATE TABLE dispute (  -- A buyer's complaint about a purchase
    dispute_id TEXT PRIMARY KEY,  -- Dispute number
    purchase_id TEXT NOT NULL REFERENCES purchase ON DELETE RESTRICT,  -- About what
    kind TEXT NOT NULL CHECK (kind IN ('not_received', 'damaged', 'not_as_described', 'wrong_item')),  -- What went wrong
    claim_cents INTEGER NOT NULL CHECK (claim_cents >= 100),  -- Amount claimed
    details TEXT NOT NULL,  -- Buyer's words
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'withdrawn')),  -- State
    prior_status TEXT NOT NULL CHECK (prior_status IN ('shipped', 'delivered')),  -- State of the purchase before
    opened_on TEXT NOT NULL,  -- When it was opened
    refund_cents INTEGER CHECK (refund_cents >= 100),  -- Refund agreed
    closed_on TEXT,  -- When it was closed
    CHECK (refund_cents <= claim_cents),
    CHECK ((status = 'resolved') = (refund_cents IS NOT NULL)),
    CHECK ((status = 'open') = (closed_on IS NULL)),
    CHECK (closed_on >= opened_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX dispute_by_purchase ON dispute (purchase_id);
CREATE UNIQUE INDEX dispute_open_once ON dispute (purchase_id) WHERE status = 'open';

CREATE TABLE review (  -- A buyer's review of a purchase
    review_id TEXT PRIMARY KEY,  -- Review number
    purchase_id TEXT NOT NULL UNIQUE REFERENCES purchase ON DELETE RESTRICT,  -- Of what
    stars INTEGER NOT NULL CHECK (stars BETWEEN 1 AND 5),  -- Stars
    text TEXT,  -- Buyer's words
    written_on TEXT NOT NULL,  -- When it was written
    edits INTEGER NOT NULL DEFAULT 0 CHECK (edits >= 0)  -- Times changed
) STRICT, WITHOUT ROWID;

CREATE TABLE account_entry (  -- An amount booked to a member's balance
    entry_id TEXT PRIMARY KEY,  -- Entry number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Whose balance
    kind TEXT NOT NULL CHECK (kind IN ('payment', 'sale', 'refund', 'fee', 'payout')),  -- Kind
    label TEXT NOT NULL,  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents <> 0),  -- Amount, negative if taken off
    status TEXT NOT NULL DEFAULT 'posted' CHECK (status IN ('posted', 'requested', 'canceled')),  -- State
    booked_on TEXT NOT NULL,  -- When it was booked
    purchase_id TEXT REFERENCES purchase ON DELETE RESTRICT,  -- Its purchase
    CHECK (status = 'posted' OR kind = 'payout'),
    CHECK (kind NOT IN ('payment', 'fee', 'payout') OR amount_cents < 0),
    CHECK (kind <> 'sale' OR amount_cents > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_entry_by_member ON account_entry (member_id, kind);
CREATE INDEX account_entry_by_purchase ON account_entry (purchase_id);

CREATE TABLE saved_item (  -- A listing that a member keeps an eye on
    saved_item_id TEXT PRIMARY KEY,  -- Number of the saved item
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who saved it
    listing_id TEXT NOT NULL REFERENCES listing ON DELETE RESTRICT,  -- What was saved
    saved_on TEXT NOT NULL,  -- When it was saved
    note TEXT,  -- Words to oneself
    UNIQUE (member_id, listing_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX saved_item_by_listing ON saved_item (listing_id);

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
