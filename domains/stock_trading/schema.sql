-- A retail stock brokerage: clients, their accounts, orders, trades, positions, cash movements, and price alerts.

CREATE TABLE client (  -- A customer of the brokerage
    client_id TEXT PRIMARY KEY,  -- Client number
    full_name TEXT NOT NULL,  -- First and last name
    email TEXT NOT NULL UNIQUE,  -- Email address
    phone TEXT NOT NULL UNIQUE,  -- Phone number
    date_of_birth TEXT NOT NULL,  -- Date of birth
    tier TEXT NOT NULL DEFAULT 'standard' CHECK (tier IN ('standard', 'active', 'premium')),  -- Service tier
    risk_profile TEXT NOT NULL CHECK (risk_profile IN ('conservative', 'moderate', 'aggressive')),  -- How much risk suits the client
    joined_on TEXT NOT NULL,  -- Client since
    CHECK (joined_on > date_of_birth)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (  -- A client's brokerage account
    account_id TEXT PRIMARY KEY,  -- Account number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Owner
    account_type TEXT NOT NULL CHECK (account_type IN ('individual', 'joint', 'traditional_ira', 'roth_ira')),  -- Kind of account
    nickname TEXT NOT NULL,  -- What the client calls it
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'restricted', 'closed')),  -- State
    restriction_reason TEXT,  -- Why it is restricted
    opened_on TEXT NOT NULL,  -- Day it was opened
    closed_on TEXT,  -- Day it was closed
    reinvest_dividends INTEGER NOT NULL DEFAULT 0 CHECK (reinvest_dividends IN (0, 1)),  -- Whether dividends buy more shares
    bank_name TEXT,  -- Linked bank
    bank_last4 TEXT CHECK (bank_last4 GLOB '[0-9][0-9][0-9][0-9]'),  -- Last four digits of the linked bank account
    bank_linked_at TEXT,  -- When the bank was linked
    cash_cents INTEGER NOT NULL DEFAULT 0,  -- Cash, including what is held
    CHECK ((status = 'restricted') = (restriction_reason IS NOT NULL)),
    CHECK ((status = 'closed') = (closed_on IS NOT NULL)),
    CHECK (closed_on >= opened_on),
    CHECK ((bank_name IS NULL) = (bank_last4 IS NULL)),
    CHECK ((bank_name IS NULL) = (bank_linked_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE stock (  -- A listed stock
    stock_id TEXT PRIMARY KEY,  -- Stock number
    symbol TEXT NOT NULL UNIQUE CHECK (symbol = upper(symbol)),  -- Ticker symbol in capitals
    company_name TEXT NOT NULL,  -- Company
    sector TEXT NOT NULL CHECK (sector IN ('technology', 'health_care', 'financials', 'energy', 'consumer', 'industrials', 'utilities', 'real_estate')),  -- Sector
    risk_level TEXT NOT NULL CHECK (risk_level IN ('low', 'medium', 'high')),  -- House risk rating
    status TEXT NOT NULL DEFAULT 'trading' CHECK (status IN ('trading', 'halted')),  -- State
    halt_reason TEXT,  -- Why it is halted
    last_price_cents INTEGER NOT NULL CHECK (last_price_cents > 0),  -- Last price of a share
    previous_close_cents INTEGER NOT NULL CHECK (previous_close_cents > 0),  -- Yesterday's closing price
    CHECK ((status = 'halted') = (halt_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE "order" (  -- An order to buy or sell shares of a stock
    order_id TEXT PRIMARY KEY,  -- Order number
    account_id TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Account it trades for
    stock_id TEXT NOT NULL REFERENCES stock ON DELETE RESTRICT,  -- Stock
    side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),  -- Buy or sell
    order_type TEXT NOT NULL CHECK (order_type IN ('market', 'limit', 'stop')),  -- Kind of order
    quantity INTEGER NOT NULL CHECK (quantity > 0),  -- Shares ordered
    filled_quantity INTEGER NOT NULL DEFAULT 0 CHECK (filled_quantity >= 0),  -- Shares filled so far
    price_cents INTEGER CHECK (price_cents > 0),  -- Limit or stop price; null for market
    time_in_force TEXT NOT NULL CHECK (time_in_force IN ('day', 'gtc')),  -- Good today only or until canceled
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'partially_filled', 'filled', 'canceled')),  -- State
    change_count INTEGER NOT NULL DEFAULT 0 CHECK (change_count >= 0),  -- How often it was changed
    placed_at TEXT NOT NULL,  -- When it was placed
    canceled_at TEXT,  -- When it was canceled
    cancel_reason TEXT,  -- Why it was canceled
    CHECK (filled_quantity <= quantity),
    CHECK ((status = 'filled') = (filled_quantity = quantity)),
    CHECK (status <> 'open' OR filled_quantity = 0),
    CHECK (status <> 'partially_filled' OR filled_quantity > 0),
    CHECK ((order_type = 'market') = (price_cents IS NULL)),
    CHECK (order_type <> 'market' OR time_in_force = 'day'),
    CHECK (order_type <> 'stop' OR side = 'sell'),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (canceled_at >= placed_at),
    CHECK (cancel_reason IS NULL OR status = 'canceled')
) STRICT, WITHOUT ROWID;

CREATE TABLE trade (  -- A fill of all or part of an order; the order says account, stock, and side
    trade_id TEXT PRIMARY KEY,  -- Trade number
    order_id TEXT NOT NULL REFERENCES "order" ON DELETE RESTRICT,  -- Order it fills
    quantity INTEGER NOT NULL CHECK (quantity > 0),  -- Shares traded
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price of a share
    amount_cents INTEGER NOT NULL,  -- Quantity times price
    realized_gain_cents INTEGER,  -- Gain of a sale; null for buys
    traded_at TEXT NOT NULL,  -- When it was traded
    settles_on TEXT NOT NULL,  -- Settlement day
    is_reversed INTEGER NOT NULL DEFAULT 0 CHECK (is_reversed IN (0, 1)),  -- Whether it was reversed
    reversal_reason TEXT,  -- Why it was reversed
    CHECK (amount_cents = quantity * price_cents),
    CHECK (settles_on > substr(traded_at, 1, 10)),
    CHECK ((is_reversed = 1) = (reversal_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE position (  -- The shares of one stock that an account holds
    position_id TEXT PRIMARY KEY,  -- Position number
    account_id TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Account that holds it
    stock_id TEXT NOT NULL REFERENCES stock ON DELETE RESTRICT,  -- Stock
    quantity INTEGER NOT NULL CHECK (quantity >= 0),  -- Shares held
    cost_cents INTEGER NOT NULL CHECK (cost_cents >= 0),  -- What the shares held cost
    UNIQUE (account_id, stock_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE cash_entry (  -- A movement of an account's cash other than a trade
    cash_entry_id TEXT PRIMARY KEY,  -- Entry number
    account_id TEXT NOT NULL REFERENCES account ON DELETE RESTRICT,  -- Account
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'withdrawal', 'transfer_in', 'transfer_out', 'fee', 'credit', 'dividend')),  -- Kind of movement
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount, always positive
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'canceled')),  -- State
    note TEXT,  -- What it is for
    created_at TEXT NOT NULL,  -- When it was entered
    completed_at TEXT,  -- When the cash moved
    CHECK (status = 'completed' OR kind IN ('deposit', 'withdrawal')),
    CHECK (note IS NOT NULL OR kind NOT IN ('fee', 'credit')),
    CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CHECK (completed_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE price_alert (  -- A client's wish to hear when a stock reaches a price
    price_alert_id TEXT PRIMARY KEY,  -- Alert number
    client_id TEXT NOT NULL REFERENCES client ON DELETE RESTRICT,  -- Client to alert
    stock_id TEXT NOT NULL REFERENCES stock ON DELETE RESTRICT,  -- Stock
    direction TEXT NOT NULL CHECK (direction IN ('above', 'below')),  -- Price rises above or falls below
    target_price_cents INTEGER NOT NULL CHECK (target_price_cents > 0),  -- Price that triggers it
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'triggered', 'canceled')),  -- State
    created_at TEXT NOT NULL  -- When it was set
) STRICT, WITHOUT ROWID;

CREATE INDEX account_by_client ON account (client_id, status);
CREATE UNIQUE INDEX account_nickname ON account (client_id, nickname) WHERE status <> 'closed';
CREATE UNIQUE INDEX account_ira ON account (client_id, account_type) WHERE account_type IN ('traditional_ira', 'roth_ira') AND status <> 'closed';
CREATE INDEX order_by_account ON "order" (account_id, placed_at);
CREATE INDEX order_by_stock ON "order" (stock_id);
CREATE INDEX trade_by_order ON trade (order_id);
CREATE INDEX position_by_account ON position (account_id);
CREATE INDEX position_by_stock ON position (stock_id);
CREATE INDEX cash_entry_by_account ON cash_entry (account_id, created_at);
CREATE INDEX price_alert_by_client ON price_alert (client_id, status);
CREATE INDEX price_alert_by_stock ON price_alert (stock_id);
CREATE UNIQUE INDEX price_alert_active ON price_alert (client_id, stock_id, direction, target_price_cents) WHERE status = 'active';

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
