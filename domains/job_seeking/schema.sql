-- A job application office: applications and what hangs on them, from the draft to the offer.

CREATE TABLE job_application (                  -- An application of a person for a job
    application_id           TEXT PRIMARY KEY,  -- Application number
    applicant_name           TEXT NOT NULL CHECK (applicant_name <> ''),  -- Who applies
    email                    TEXT NOT NULL CHECK (instr(email, '@') > 0),  -- Applicant's email
    phone                    TEXT CHECK (phone <> ''),  -- Applicant's phone, if known
    job_title                TEXT NOT NULL CHECK (job_title <> ''),  -- Job applied for
    company_name             TEXT NOT NULL CHECK (company_name <> ''),  -- Employer
    application_date         TEXT NOT NULL,     -- Timestamp when it was filed; of a draft, when it was begun
    status                   TEXT NOT NULL DEFAULT 'submitted' CHECK (status IN ('draft', 'submitted', 'under_review', 'rejected', 'accepted', 'withdrawn', 'archived')),  -- How far it got; open are submitted and under_review
    resume_content           TEXT CHECK (resume_content <> ''),  -- Text of the resume
    resume_format            TEXT CHECK (resume_format <> ''),  -- Format of the resume, such as pdf, docx
    resume_uploaded_at       TEXT,              -- Timestamp when the resume was stored
    cover_letter_content     TEXT CHECK (cover_letter_content <> ''),  -- Text of the cover letter
    cover_letter_uploaded_at TEXT,              -- Timestamp when the cover letter was stored
    deadline_date            TEXT,              -- Timestamp of the next deadline
    deadline_type            TEXT CHECK (deadline_type <> ''),  -- What the deadline is for, such as follow_up, response
    referral_source          TEXT CHECK (referral_source <> ''),  -- Where the job was found, such as LinkedIn, Indeed, employee referral
    referral_person          TEXT CHECK (referral_person <> ''),  -- Who referred the applicant; only with a referral_source
    priority_level           INTEGER CHECK (priority_level BETWEEN 1 AND 5),  -- Importance, 5 is highest
    priority_reason          TEXT CHECK (priority_reason <> ''),  -- Why it has this priority; only with a priority_level
    expected_salary_min      INTEGER CHECK (expected_salary_min >= 0),  -- Least salary expected, whole units of the currency
    expected_salary_max      INTEGER,           -- Highest salary expected, whole units; only with a minimum and not below it
    salary_currency          TEXT NOT NULL DEFAULT 'USD' CHECK (length(salary_currency) = 3),  -- Currency of the expected salary
    created_at               TEXT NOT NULL,     -- Timestamp when the row was made
    updated_at               TEXT,              -- Timestamp of the last change; null while unchanged since it was made
    CHECK ((resume_content IS NULL) = (resume_format IS NULL)),
    CHECK ((resume_content IS NULL) = (resume_uploaded_at IS NULL)),
    CHECK ((cover_letter_content IS NULL) = (cover_letter_uploaded_at IS NULL)),
    CHECK ((deadline_date IS NULL) = (deadline_type IS NULL)),
    CHECK (referral_person IS NULL OR referral_source IS NOT NULL),
    CHECK (priority_reason IS NULL OR priority_level IS NOT NULL),
    CHECK (expected_salary_max IS NULL OR expected_salary_min IS NOT NULL),
    CHECK (expected_salary_max >= expected_salary_min)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_application_by_status ON job_application (status, application_date);

CREATE TABLE application_note (                 -- A note on an application
    note_id         TEXT PRIMARY KEY,           -- Note number
    application_id  TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- What it is about
    note_content    TEXT NOT NULL CHECK (note_content <> ''),  -- What it says
    note_type       TEXT CHECK (note_type <> ''),  -- Kind of note, such as follow_up, reminder, general, withdrawal
    created_at      TEXT NOT NULL               -- Timestamp when it was written
) STRICT, WITHOUT ROWID;

CREATE INDEX application_note_by_application ON application_note (application_id, created_at);

CREATE TABLE application_stage (                -- A stage that an application reached
    stage_id        TEXT PRIMARY KEY,           -- Stage number
    application_id  TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Which application
    stage_name      TEXT NOT NULL CHECK (stage_name <> ''),  -- Stage, such as phone_screening, technical_interview, final_interview
    stage_date      TEXT NOT NULL,              -- Timestamp when it was reached
    stage_notes     TEXT CHECK (stage_notes <> ''),  -- Remarks
    UNIQUE (application_id, stage_name)
) STRICT, WITHOUT ROWID;

CREATE INDEX application_stage_by_application ON application_stage (application_id, stage_date);

CREATE TABLE interview_schedule (               -- An interview of an application, upcoming or past
    interview_id                TEXT PRIMARY KEY,  -- Interview number
    application_id              TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Which application
    interview_type              TEXT NOT NULL CHECK (interview_type <> ''),  -- Kind, such as phone_screening, technical_interview, behavioral_interview, system_design
    interview_date              TEXT NOT NULL,  -- Timestamp when it begins; upcoming if later than the clock
    interviewer_name            TEXT CHECK (interviewer_name <> ''),  -- Who interviews
    interview_location          TEXT CHECK (interview_location <> ''),  -- Where it takes place
    interview_duration_minutes  INTEGER CHECK (interview_duration_minutes BETWEEN 1 AND 1440),  -- Planned length in minutes
    UNIQUE (application_id, interview_date)
) STRICT, WITHOUT ROWID;

CREATE INDEX interview_schedule_by_application ON interview_schedule (application_id);
CREATE INDEX interview_schedule_by_date ON interview_schedule (interview_date);

CREATE TABLE interview_feedback (               -- Feedback on an interview that took place
    feedback_id         TEXT PRIMARY KEY,       -- Feedback number
    interview_id        TEXT NOT NULL REFERENCES interview_schedule ON DELETE RESTRICT,  -- Which interview
    feedback_content    TEXT NOT NULL CHECK (feedback_content <> ''),  -- What it says
    performance_rating  INTEGER CHECK (performance_rating BETWEEN 1 AND 5),  -- Rating, 5 is best
    created_at          TEXT NOT NULL           -- Timestamp when it was written, not before the interview
) STRICT, WITHOUT ROWID;

CREATE INDEX interview_feedback_by_interview ON interview_feedback (interview_id);

CREATE TABLE preparation_task (                 -- Something to prepare for an interview
    preparation_task_id  TEXT PRIMARY KEY,      -- Task number
    interview_id         TEXT NOT NULL REFERENCES interview_schedule ON DELETE RESTRICT,  -- Which interview
    task_description     TEXT NOT NULL CHECK (task_description <> ''),  -- What to prepare
    completed_at         TEXT,                  -- Timestamp when it was done; null while to be done
    created_at           TEXT NOT NULL,         -- Timestamp when the row was made
    UNIQUE (interview_id, task_description),
    CHECK (completed_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX preparation_task_by_interview ON preparation_task (interview_id);

CREATE TABLE job_offer (                        -- An offer made on an application
    job_offer_id     TEXT PRIMARY KEY,          -- Offer number
    application_id   TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Which application
    annual_salary    INTEGER NOT NULL CHECK (annual_salary > 0),  -- Salary per year, whole units of the currency
    salary_currency  TEXT NOT NULL DEFAULT 'USD' CHECK (length(salary_currency) = 3),  -- Currency of the salary
    respond_by       TEXT NOT NULL,             -- Timestamp until which an answer is due
    offer_status     TEXT NOT NULL DEFAULT 'pending' CHECK (offer_status IN ('pending', 'accepted', 'declined')),  -- Answered or not
    created_at       TEXT NOT NULL,             -- Timestamp when the row was made
    updated_at       TEXT,                      -- Timestamp of the last change; null while unchanged since it was made
    CHECK (respond_by > created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_offer_by_application ON job_offer (application_id, offer_status);
CREATE UNIQUE INDEX job_offer_pending_once ON job_offer (application_id) WHERE offer_status = 'pending';
