-- Iron Range Exhibits: members lead projects, staff them, book the shop, order material, and log their hours.

CREATE TABLE member (  -- A person who works at the firm
    member_id TEXT PRIMARY KEY,  -- Member number
    name TEXT NOT NULL,  -- Full name
    email TEXT NOT NULL UNIQUE,  -- Work email
    phone TEXT NOT NULL UNIQUE,  -- Phone number
    badge_number TEXT NOT NULL UNIQUE,  -- Number on the badge
    grade TEXT NOT NULL CHECK (grade IN ('associate', 'senior', 'principal')),  -- Grade at the firm
    weekly_hours INTEGER NOT NULL CHECK (weekly_hours BETWEEN 8 AND 45),  -- Hours in the contract
    joined_on TEXT NOT NULL  -- First day here
) STRICT, WITHOUT ROWID;

CREATE TABLE project (  -- An exhibit the firm builds for a client
    project_id TEXT PRIMARY KEY,  -- Project number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who leads it
    name TEXT NOT NULL CHECK (name <> ''),  -- Project name
    client_name TEXT NOT NULL CHECK (client_name <> ''),  -- Museum or park it is for
    service_level TEXT NOT NULL CHECK (service_level IN ('standard', 'priority')),  -- Level the client bought
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'on_hold', 'closed')),  -- Project status
    starts_on TEXT NOT NULL,  -- First day
    due_on TEXT NOT NULL,  -- Opening day promised
    budget_cents INTEGER NOT NULL CHECK (budget_cents >= 50000),  -- Current budget
    held_on TEXT,  -- Day it was put on hold
    resume_on TEXT,  -- Planned end of the hold
    closed_on TEXT,  -- Day it was closed
    CHECK (due_on > starts_on),
    CHECK ((status = 'on_hold') = (held_on IS NOT NULL)),
    CHECK ((held_on IS NULL) = (resume_on IS NULL)),
    CHECK (resume_on IS NULL OR resume_on > held_on),
    CHECK ((status = 'closed') = (closed_on IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX project_by_member ON project (member_id, status);
CREATE UNIQUE INDEX project_name_in_use ON project (name) WHERE status <> 'closed';

CREATE TABLE team_seat (  -- A member's place on the team of a project they do not lead
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- The project
    teammate_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member on the team
    role TEXT NOT NULL CHECK (role IN ('designer', 'fabricator', 'installer', 'writer')),  -- What they do
    PRIMARY KEY (project_id, teammate_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_seat_by_teammate ON team_seat (teammate_id);

CREATE TABLE milestone (  -- A dated step of a project
    milestone_id TEXT PRIMARY KEY,  -- Milestone number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Its project
    name TEXT NOT NULL CHECK (name <> ''),  -- Milestone name
    due_on TEXT NOT NULL,  -- Day it is due
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'complete')),  -- Reached or not
    moves INTEGER NOT NULL DEFAULT 0 CHECK (moves >= 0),  -- Times it was moved
    payment_cents INTEGER NOT NULL DEFAULT 0 CHECK (payment_cents >= 0),  -- Client payment it releases
    completed_on TEXT,  -- Day it was completed
    UNIQUE (project_id, name),
    CHECK ((status = 'complete') = (completed_on IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE task (  -- A piece of work in a project
    task_id TEXT PRIMARY KEY,  -- Task number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Its project
    title TEXT NOT NULL CHECK (title <> ''),  -- What is to be done
    status TEXT NOT NULL DEFAULT 'todo' CHECK (status IN ('todo', 'in_progress', 'done', 'canceled')),  -- Task status
    due_on TEXT NOT NULL,  -- Day it is due
    estimate_hours INTEGER NOT NULL CHECK (estimate_hours BETWEEN 1 AND 200),  -- Estimated work
    assignee_id TEXT REFERENCES member ON DELETE RESTRICT,  -- Member who does it
    milestone_id TEXT REFERENCES milestone ON DELETE RESTRICT,  -- Milestone it counts toward
    waits_on_task_id TEXT REFERENCES task ON DELETE RESTRICT,  -- Task that comes first
    started_on TEXT,  -- Day the work started
    finished_on TEXT,  -- Day the work was done
    CHECK (waits_on_task_id <> task_id),
    CHECK (status <> 'todo' OR started_on IS NULL),
    CHECK (status NOT IN ('in_progress', 'done') OR (started_on IS NOT NULL AND assignee_id IS NOT NULL)),
    CHECK ((status = 'done') = (finished_on IS NOT NULL)),
    CHECK (finished_on IS NULL OR finished_on >= started_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_by_project ON task (project_id, status);
CREATE INDEX task_by_assignee ON task (assignee_id, status);
CREATE INDEX task_by_milestone ON task (milestone_id);
CREATE INDEX task_by_waits_on ON task (waits_on_task_id);
CREATE UNIQUE INDEX task_title_open ON task (project_id, title) WHERE status IN ('todo', 'in_progress');

CREATE TABLE time_entry (  -- Minutes a member worked on a task on one day
    time_entry_id TEXT PRIMARY KEY,  -- Time entry number
    member_id TEXT NOT NULL REFERENCES member ON DELETE RESTRICT,  -- Member who worked
    task_id TEXT NOT NULL REFERENCES task ON DELETE RESTRICT,  -- Task worked on
    worked_on TEXT NOT NULL,  -- Day of the work
    minutes INTEGER NOT NULL CHECK (minutes BETWEEN 15 AND 720),  -- Minutes worked
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'submitted')),  -- Sent to payroll or not
    note TEXT,  -- What was done
    submitted_on TEXT,  -- Day it was submitted to payroll
    CHECK ((status = 'submitted') = (submitted_on IS NOT NULL)),
    CHECK (submitted_on IS NULL OR submitted_on >= worked_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX time_entry_by_member ON time_entry (member_id, worked_on);
CREATE INDEX time_entry_by_task ON time_entry (task_id);

CREATE TABLE change_order (  -- Extra scope that the client must sign
    change_order_id TEXT PRIMARY KEY,  -- Change order number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Its project
    title TEXT NOT NULL CHECK (title <> ''),  -- What changes
    amount_cents INTEGER NOT NULL CHECK (amount_cents >= 100),  -- Added to the budget once signed
    extra_days INTEGER NOT NULL DEFAULT 0 CHECK (extra_days BETWEEN 0 AND 90),  -- Days added to the schedule
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'signed', 'withdrawn')),  -- Change order status
    submitted_on TEXT NOT NULL,  -- Day it was submitted
    signed_on TEXT,  -- Day the client signed
    CHECK ((status = 'signed') = (signed_on IS NOT NULL)),
    CHECK (signed_on IS NULL OR signed_on >= submitted_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX change_order_by_project ON change_order (project_id, status);
CREATE UNIQUE INDEX change_order_title_waiting ON change_order (project_id, title) WHERE status = 'waiting';

CREATE TABLE purchase (  -- Material or parts ordered for a project
    purchase_id TEXT PRIMARY KEY,  -- Purchase number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Its project
    item TEXT NOT NULL CHECK (item <> ''),  -- What was bought
    vendor_name TEXT NOT NULL CHECK (vendor_name <> ''),  -- Who sells it
    category TEXT NOT NULL CHECK (category IN ('stock', 'custom')),  -- From stock, or made to order
    cost_cents INTEGER NOT NULL CHECK (cost_cents >= 100),  -- Price with freight
    ordered_on TEXT NOT NULL,  -- Day of the order
    needed_on TEXT NOT NULL,  -- Day it is needed
    status TEXT NOT NULL DEFAULT 'ordered' CHECK (status IN ('ordered', 'received', 'canceled')),  -- Purchase status
    received_on TEXT,  -- Day it arrived
    canceled_on TEXT,  -- Day it was canceled
    CHECK (needed_on > ordered_on),
    CHECK ((status = 'received') = (received_on IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_on IS NOT NULL)),
    CHECK (received_on IS NULL OR received_on >= ordered_on),
    CHECK (canceled_on IS NULL OR canceled_on >= ordered_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX purchase_by_project ON purchase (project_id, status);

CREATE TABLE charge (  -- An amount the desk charges to a project
    charge_id TEXT PRIMARY KEY,  -- Charge number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Project that pays
    kind TEXT NOT NULL CHECK (kind IN ('rush', 'restocking', 'late_cancel', 'standby')),  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- Amount
    charged_on TEXT NOT NULL  -- Day of the charge
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_project ON charge (project_id, charged_on);

CREATE TABLE station (  -- A machine or bay of the shop
    station_id TEXT PRIMARY KEY,  -- Station number
    name TEXT NOT NULL UNIQUE,  -- Name on the shop floor
    kind TEXT NOT NULL CHECK (kind IN ('router', 'paint_booth', 'assembly_bay', 'laser')),  -- Kind of station
    hourly_cents INTEGER NOT NULL CHECK (hourly_cents > 0),  -- Price an hour
    status TEXT NOT NULL DEFAULT 'in_service' CHECK (status IN ('in_service', 'down'))  -- Can be used or not
) STRICT, WITHOUT ROWID;

CREATE TABLE booking (  -- Hours on a station for a project
    booking_id TEXT PRIMARY KEY,  -- Booking number
    project_id TEXT NOT NULL REFERENCES project ON DELETE RESTRICT,  -- Project that pays
    station_id TEXT NOT NULL REFERENCES station ON DELETE RESTRICT,  -- Station booked
    starts_at TEXT NOT NULL,  -- When it starts
    hours INTEGER NOT NULL CHECK (hours BETWEEN 1 AND 8),  -- Full hours
    cost_cents INTEGER NOT NULL CHECK (cost_cents > 0),  -- Price of the hours
    status TEXT NOT NULL DEFAULT 'booked' CHECK (status IN ('booked', 'canceled')),  -- Booked or canceled
    canceled_on TEXT,  -- Day it was canceled
    CHECK ((status = 'canceled') = (canceled_on IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX booking_by_project ON booking (project_id, starts_at);
CREATE INDEX booking_by_station ON booking (station_id, starts_at);

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
