-- An adult flag football league: members play for teams in divisions, officiate games, book practice fields, and pay what they owe.

CREATE TABLE member (  -- A person in the league: player, captain, official, or all of these
    member_id TEXT PRIMARY KEY,  -- Member number
    name TEXT NOT NULL,  -- Full name
    email TEXT NOT NULL UNIQUE,  -- Email address
    phone TEXT NOT NULL UNIQUE,  -- Phone number, as (614) 555-0142
    date_of_birth TEXT NOT NULL,  -- Date of birth
    address TEXT NOT NULL,  -- Street, city, and state
    zip_code TEXT NOT NULL,  -- ZIP code
    tier TEXT NOT NULL DEFAULT 'rookie' CHECK (tier IN ('rookie', 'varsity', 'all_star')),  -- Membership tier
    joined_on TEXT NOT NULL,  -- First day of membership
    waiver_expires_on TEXT,  -- Last day the liability waiver covers, null if none was ever signed
    credit_cents INTEGER NOT NULL DEFAULT 0 CHECK (credit_cents >= 0),  -- Money the league owes the member
    CHECK (date_of_birth < joined_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE division (  -- One division of one season
    division_id TEXT PRIMARY KEY,  -- Division number
    name TEXT NOT NULL,  -- As in Coed Recreational
    season TEXT NOT NULL,  -- As in Fall 2026
    format TEXT NOT NULL CHECK (format IN ('coed', 'mens', 'womens')),  -- Who plays
    level TEXT NOT NULL CHECK (level IN ('recreational', 'intermediate', 'competitive')),  -- Level of play
    fee_cents INTEGER NOT NULL CHECK (fee_cents > 0),  -- Registration fee per player
    minimum_age INTEGER NOT NULL CHECK (minimum_age >= 16),  -- Youngest age in years
    roster_limit INTEGER NOT NULL CHECK (roster_limit > 0),  -- Most players on a team
    registration_closes_on TEXT NOT NULL,  -- Last day to register
    roster_locks_on TEXT NOT NULL,  -- Day rosters lock
    starts_on TEXT NOT NULL,  -- First day of the season
    ends_on TEXT NOT NULL,  -- Last day of the season
    UNIQUE (season, name),
    CHECK (starts_on <= ends_on),
    CHECK (registration_closes_on <= ends_on),
    CHECK (roster_locks_on <= ends_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE team (  -- A team in a division
    team_id TEXT PRIMARY KEY,  -- Team number
    division_id TEXT NOT NULL REFERENCES division ON DELETE RESTRICT,  -- Division it plays in
    name TEXT NOT NULL,  -- Team name
    color TEXT NOT NULL,  -- Jersey color
    captain_member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Captain
    recruiting INTEGER NOT NULL DEFAULT 0 CHECK (recruiting IN (0, 1)),  -- Looks for players or not
    recruiting_note TEXT,  -- What players it wants
    UNIQUE (division_id, name),
    CHECK (recruiting = 1 OR recruiting_note IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_by_captain ON team (captain_member_id);

CREATE TABLE registration (  -- A member's place on a team
    registration_id TEXT PRIMARY KEY,  -- Registration number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- The player
    team_id TEXT NOT NULL REFERENCES team ON DELETE RESTRICT,  -- The team
    jersey_number INTEGER NOT NULL CHECK (jersey_number BETWEEN 0 AND 99),  -- Number on the jersey
    position TEXT NOT NULL CHECK (position IN ('quarterback', 'receiver', 'center', 'rusher', 'linebacker', 'cornerback', 'safety')),  -- Position played
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'withdrawn')),  -- Pending until its fee is paid
    registered_on TEXT NOT NULL,  -- Day of registration
    withdrawn_on TEXT,  -- Day of withdrawal
    CHECK ((status = 'withdrawn') = (withdrawn_on IS NOT NULL)),
    CHECK (withdrawn_on >= registered_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX registration_by_member ON registration (member_id, status);
CREATE INDEX registration_by_team ON registration (team_id, status);
CREATE UNIQUE INDEX registration_jersey ON registration (team_id, jersey_number) WHERE status <> 'withdrawn';

CREATE TABLE transfer (  -- A request to move a registration to another team
    transfer_id TEXT PRIMARY KEY,  -- Request number
    registration_id TEXT NOT NULL REFERENCES registration ON DELETE RESTRICT,  -- Registration to move
    from_team_id TEXT NOT NULL REFERENCES team ON DELETE RESTRICT,  -- Team left
    to_team_id TEXT NOT NULL REFERENCES team ON DELETE RESTRICT,  -- Team joined
    reason TEXT,  -- Why the player wants to move
    status TEXT NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'accepted', 'declined', 'withdrawn')),  -- What became of it
    requested_at TEXT NOT NULL,  -- When requested
    decided_at TEXT,  -- When accepted, declined, or withdrawn
    CHECK (from_team_id <> to_team_id),
    CHECK ((status = 'requested') = (decided_at IS NULL)),
    CHECK (decided_at >= requested_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX transfer_by_registration ON transfer (registration_id);
CREATE INDEX transfer_by_from_team ON transfer (from_team_id);
CREATE INDEX transfer_by_to_team ON transfer (to_team_id, status);
CREATE UNIQUE INDEX transfer_requested ON transfer (registration_id) WHERE status = 'requested';

CREATE TABLE free_agent_post (  -- A member's notice that they look for a team
    free_agent_post_id TEXT PRIMARY KEY,  -- Post number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who looks for a team
    division_id TEXT NOT NULL REFERENCES division ON DELETE RESTRICT,  -- Division they want to play in
    position TEXT NOT NULL CHECK (position IN ('quarterback', 'receiver', 'center', 'rusher', 'linebacker', 'cornerback', 'safety')),  -- Position offered
    note TEXT,  -- Words to captains
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'placed', 'taken_down')),  -- Still looking or not
    posted_on TEXT NOT NULL  -- Day of posting
) STRICT, WITHOUT ROWID;

CREATE INDEX free_agent_post_by_member ON free_agent_post (member_id, status);
CREATE INDEX free_agent_post_by_division ON free_agent_post (division_id);
CREATE UNIQUE INDEX free_agent_post_open ON free_agent_post (member_id, division_id) WHERE status = 'open';

CREATE TABLE field (  -- A playing field
    field_id TEXT PRIMARY KEY,  -- Field number
    name TEXT NOT NULL UNIQUE,  -- Field name
    address TEXT NOT NULL,  -- Where it is
    surface TEXT NOT NULL CHECK (surface IN ('grass', 'turf')),  -- Surface
    has_lights INTEGER NOT NULL CHECK (has_lights IN (0, 1)),  -- Has lights or not
    hourly_rate_cents INTEGER NOT NULL CHECK (hourly_rate_cents > 0),  -- Price of an hour of practice
    is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1)),  -- Open for use or not
    problem TEXT,  -- Problem on file
    problem_reported_on TEXT,  -- Day the problem was reported
    CHECK ((problem IS NULL) = (problem_reported_on IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE booking (  -- A member's practice booking of a field
    booking_id TEXT PRIMARY KEY,  -- Booking number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who booked
    field_id TEXT NOT NULL REFERENCES field ON DELETE RESTRICT,  -- The field
    starts_at TEXT NOT NULL,  -- Start
    hours INTEGER NOT NULL CHECK (hours BETWEEN 1 AND 4),  -- Length in hours
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price when booked
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'canceled')),  -- Booked or canceled
    moved_count INTEGER NOT NULL DEFAULT 0 CHECK (moved_count >= 0),  -- Times moved
    booked_at TEXT NOT NULL,  -- When booked
    canceled_at TEXT,  -- When canceled
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (booked_at < starts_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX booking_by_member ON booking (member_id, status);
CREATE INDEX booking_by_field ON booking (field_id, starts_at);

CREATE TABLE game (  -- A game between two teams of a division
    game_id TEXT PRIMARY KEY,  -- Game number
    home_team_id TEXT NOT NULL REFERENCES team ON DELETE RESTRICT,  -- Home team
    away_team_id TEXT NOT NULL REFERENCES team ON DELETE RESTRICT,  -- Away team
    field_id TEXT NOT NULL REFERENCES field ON DELETE RESTRICT,  -- Where it is played
    starts_at TEXT NOT NULL,  -- Kickoff
    status TEXT NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'postponed', 'played', 'forfeited')),  -- What became of it
    home_score INTEGER CHECK (home_score BETWEEN 0 AND 150),  -- Points of the home team
    away_score INTEGER CHECK (away_score BETWEEN 0 AND 150),  -- Points of the away team
    forfeit_team_id TEXT REFERENCES team ON DELETE RESTRICT,  -- Team that gave the game up
    postponed_count INTEGER NOT NULL DEFAULT 0 CHECK (postponed_count >= 0),  -- Times postponed
    postponed_reason TEXT,  -- Why it was last postponed
    CHECK (home_team_id <> away_team_id),
    CHECK ((status IN ('played', 'forfeited')) = (home_score IS NOT NULL)),
    CHECK ((home_score IS NULL) = (away_score IS NULL)),
    CHECK ((status = 'forfeited') = (forfeit_team_id IS NOT NULL)),
    CHECK (forfeit_team_id IN (home_team_id, away_team_id)),
    CHECK ((postponed_count = 0) = (postponed_reason IS NULL)),
    CHECK (status <> 'postponed' OR postponed_count > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_by_home_team ON game (home_team_id, starts_at);
CREATE INDEX game_by_away_team ON game (away_team_id, starts_at);
CREATE INDEX game_by_field ON game (field_id, starts_at);
CREATE INDEX game_by_forfeit_team ON game (forfeit_team_id);

CREATE TABLE game_answer (  -- A member's word on whether they will play in a game
    game_answer_id TEXT PRIMARY KEY,  -- Answer number
    game_id TEXT NOT NULL REFERENCES game ON DELETE RESTRICT,  -- The game
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- The player
    answer TEXT NOT NULL CHECK (answer IN ('in', 'out', 'maybe')),  -- Will they play
    note TEXT,  -- Remark for the captain
    answered_at TEXT NOT NULL,  -- When last answered
    UNIQUE (game_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_answer_by_member ON game_answer (member_id);

CREATE TABLE shift (  -- An official's job at a game
    shift_id TEXT PRIMARY KEY,  -- Shift number
    game_id TEXT NOT NULL REFERENCES game ON DELETE RESTRICT,  -- The game
    role TEXT NOT NULL CHECK (role IN ('referee', 'line_judge', 'scorekeeper')),  -- The job
    pay_cents INTEGER NOT NULL CHECK (pay_cents > 0),  -- What the league pays for it
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'claimed', 'worked')),  -- Taken or not
    member_id TEXT REFERENCES member ON DELETE RESTRICT,  -- Who works it
    claimed_at TEXT,  -- When claimed
    CHECK ((status = 'open') = (member_id IS NULL)),
    CHECK ((status = 'open') = (claimed_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX shift_by_game ON shift (game_id);
CREATE INDEX shift_by_member ON shift (member_id, status);

CREATE TABLE season_pass (  -- A spectator or parking pass
    season_pass_id TEXT PRIMARY KEY,  -- Pass number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who bought it
    kind TEXT NOT NULL CHECK (kind IN ('spectator', 'parking')),  -- Kind of pass
    holder_name TEXT NOT NULL,  -- Who uses it
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),  -- Price when bought
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'canceled')),  -- Active or canceled
    bought_on TEXT NOT NULL,  -- Day bought
    valid_through TEXT NOT NULL,  -- Last valid day
    canceled_on TEXT,  -- Day canceled
    CHECK ((status = 'canceled') = (canceled_on IS NOT NULL)),
    CHECK (bought_on <= valid_through),
    CHECK (canceled_on >= bought_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX season_pass_by_member ON season_pass (member_id, kind);

CREATE TABLE suspension (  -- Games that a member must sit out
    suspension_id TEXT PRIMARY KEY,  -- Suspension number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who is suspended
    game_id TEXT NOT NULL REFERENCES game ON DELETE RESTRICT,  -- Game it comes from
    reason TEXT NOT NULL,  -- What happened
    games_total INTEGER NOT NULL CHECK (games_total > 0),  -- Games to sit out
    games_served INTEGER NOT NULL DEFAULT 0 CHECK (games_served >= 0),  -- Games sat out so far
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'under_appeal', 'served', 'lifted')),  -- Where it stands
    issued_on TEXT NOT NULL,  -- Day issued
    CHECK (games_served <= games_total),
    CHECK (status <> 'served' OR games_served = games_total)
) STRICT, WITHOUT ROWID;

CREATE INDEX suspension_by_member ON suspension (member_id, status);
CREATE INDEX suspension_by_game ON suspension (game_id);

CREATE TABLE appeal (  -- A member's appeal against a suspension
    appeal_id TEXT PRIMARY KEY,  -- Appeal number
    suspension_id TEXT NOT NULL REFERENCES suspension ON DELETE RESTRICT,  -- Suspension appealed
    statement TEXT NOT NULL,  -- The member's side
    wants_hearing INTEGER NOT NULL DEFAULT 0 CHECK (wants_hearing IN (0, 1)),  -- Asks for a hearing or not
    status TEXT NOT NULL DEFAULT 'filed' CHECK (status IN ('filed', 'withdrawn', 'granted', 'denied')),  -- What became of it
    filed_at TEXT NOT NULL  -- When filed
) STRICT, WITHOUT ROWID;

CREATE INDEX appeal_by_suspension ON appeal (suspension_id);
CREATE UNIQUE INDEX appeal_filed ON appeal (suspension_id) WHERE status = 'filed';

CREATE TABLE charge (  -- An amount that a member owes the league
    charge_id TEXT PRIMARY KEY,  -- Charge number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Who owes it
    kind TEXT NOT NULL CHECK (kind IN ('registration', 'rental', 'season_pass', 'fine', 'forfeit_fee', 'late_fee', 'cancellation_fee', 'appeal_fee', 'transfer_fee')),  -- Kind of charge
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Full amount
    paid_cents INTEGER NOT NULL DEFAULT 0 CHECK (paid_cents >= 0),  -- Paid so far, less refunds
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'waived')),  -- Open, paid, or waived
    due_on TEXT NOT NULL,  -- Due date
    extended_count INTEGER NOT NULL DEFAULT 0 CHECK (extended_count >= 0),  -- Times extended
    note TEXT,  -- What it is for
    registration_id TEXT REFERENCES registration ON DELETE RESTRICT,  -- Registration it is for
    booking_id TEXT REFERENCES booking ON DELETE RESTRICT,  -- Booking it is for
    season_pass_id TEXT REFERENCES season_pass ON DELETE RESTRICT,  -- Pass it is for
    charged_on TEXT NOT NULL,  -- Day charged
    waived_on TEXT,  -- Day waived
    CHECK (paid_cents <= amount_cents),
    CHECK (status <> 'open' OR paid_cents < amount_cents),
    CHECK ((status = 'waived') = (waived_on IS NOT NULL)),
    CHECK (due_on >= charged_on),
    CHECK (waived_on >= charged_on),
    CHECK ((kind = 'registration') = (registration_id IS NOT NULL)),
    CHECK ((kind = 'rental') = (booking_id IS NOT NULL)),
    CHECK ((kind = 'season_pass') = (season_pass_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_member ON charge (member_id, status);
CREATE INDEX charge_by_registration ON charge (registration_id);
CREATE INDEX charge_by_booking ON charge (booking_id);
CREATE INDEX charge_by_season_pass ON charge (season_pass_id);

CREATE TABLE payment (  -- Money paid on a charge
    payment_id TEXT PRIMARY KEY,  -- Payment number
    charge_id TEXT NOT NULL REFERENCES charge ON DELETE RESTRICT,  -- Charge paid
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount paid
    refunded_cents INTEGER NOT NULL DEFAULT 0 CHECK (refunded_cents >= 0),  -- Refunded so far
    method TEXT NOT NULL CHECK (method IN ('card', 'check', 'cash', 'credit')),  -- How it was paid
    paid_at TEXT NOT NULL,  -- When paid
    CHECK (refunded_cents <= amount_cents)
) STRICT, WITHOUT ROWID;

CREATE INDEX payment_by_charge ON payment (charge_id);

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
