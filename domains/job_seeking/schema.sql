-- A job application tracking office: applicants, their applications, and how far each got.

CREATE TABLE applicant (                    -- A person who seeks work and calls
    applicant_id   TEXT PRIMARY KEY,        -- Applicant number
    full_name      TEXT NOT NULL CHECK (full_name <> ''),  -- Name
    email          TEXT NOT NULL UNIQUE CHECK (instr(email, '@') > 0),  -- Email address
    phone          TEXT NOT NULL UNIQUE CHECK (phone <> ''),  -- Phone number
    date_of_birth  TEXT NOT NULL CHECK (date_of_birth < substr(created_at, 1, 10)),  -- Day of birth
    service_tier   TEXT NOT NULL DEFAULT 'basic' CHECK (service_tier IN ('basic', 'plus', 'premium')),  -- Kind of service
    created_at     TEXT NOT NULL            -- When registered
) STRICT, WITHOUT ROWID;

CREATE TABLE job_application (              -- An application of an applicant for a job
    application_id            TEXT PRIMARY KEY,  -- Application number
    applicant_id              TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who applies
    applicant_name            TEXT NOT NULL CHECK (applicant_name <> ''),  -- Name of the applicant when it was created
    email                     TEXT NOT NULL CHECK (instr(email, '@') > 0),  -- Email of the applicant when it was created
    phone                     TEXT,         -- Phone of the applicant when it was created
    job_title                 TEXT NOT NULL CHECK (job_title <> ''),  -- Position
    company_name              TEXT NOT NULL CHECK (company_name <> ''),  -- Employer
    application_date          TEXT NOT NULL,  -- When filed; of a draft, when created
    status                    TEXT NOT NULL DEFAULT 'submitted' CHECK (status IN ('draft', 'submitted', 'under_review', 'rejected', 'accepted', 'withdrawn', 'archived')),  -- State
    resume_content            TEXT CHECK (resume_content <> ''),  -- Text of the resume
    resume_format             TEXT CHECK ((resume_format IS NULL) = (resume_content IS NULL) AND resume_format IN ('pdf', 'docx', 'txt')),  -- Format of the resume
    resume_uploaded_at        TEXT CHECK ((resume_uploaded_at IS NULL) = (resume_content IS NULL)),  -- When the resume came
    cover_letter_content      TEXT CHECK (cover_letter_content <> ''),  -- Text of the cover letter
    cover_letter_uploaded_at  TEXT CHECK ((cover_letter_uploaded_at IS NULL) = (cover_letter_content IS NULL)),  -- When the cover letter came
    deadline_date             TEXT,         -- Deadline
    deadline_type             TEXT CHECK ((deadline_type IS NULL) = (deadline_date IS NULL) AND deadline_type IN ('follow_up', 'response', 'interview', 'offer_decision')),  -- Kind of deadline
    referral_source           TEXT CHECK (referral_source IN ('LinkedIn', 'Indeed', 'company website', 'recruiter', 'employee referral')),  -- Where it was found
    referral_person           TEXT CHECK (referral_person IS NULL OR referral_source IS NOT NULL AND referral_source IN ('recruiter', 'employee referral')),  -- Who referred
    priority_level            INTEGER CHECK (priority_level BETWEEN 1 AND 5),  -- 5 is highest
    priority_reason           TEXT CHECK (priority_reason IS NULL OR priority_level IS NOT NULL),  -- Why this priority
    expected_salary_min       INTEGER CHECK (expected_salary_min > 0),  -- Least salary, whole currency units
    expected_salary_max       INTEGER CHECK (expected_salary_max IS NULL OR expected_salary_min IS NOT NULL AND expected_salary_max >= expected_salary_min),  -- Greatest salary, whole currency units
    salary_currency           TEXT NOT NULL DEFAULT 'USD' CHECK (salary_currency IN ('USD', 'EUR', 'GBP', 'CNY', 'HKD', 'SGD')),  -- Currency of the salary
    created_at                TEXT NOT NULL,  -- When created
    updated_at                TEXT          -- Last change
) STRICT, WITHOUT ROWID;

CREATE INDEX job_application_by_applicant ON job_application (applicant_id, application_date);

CREATE TABLE application_note (             -- A note on an application
    note_id         TEXT PRIMARY KEY,       -- Note number
    application_id  TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application that it is about
    note_content    TEXT NOT NULL CHECK (note_content <> ''),  -- Text
    note_type       TEXT CHECK (note_type IN ('follow_up', 'reminder', 'general')),  -- Kind of note
    created_at      TEXT NOT NULL           -- When written
) STRICT, WITHOUT ROWID;

CREATE INDEX application_note_by_application ON application_note (application_id, created_at);

CREATE TABLE application_stage (            -- A stage that an application reached
    stage_id        TEXT PRIMARY KEY,       -- Stage number
    application_id  TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application that reached it
    stage_name      TEXT NOT NULL CHECK (stage_name IN ('phone_screening', 'technical_interview', 'behavioral_interview', 'system_design', 'final_interview', 'offer')),  -- Stage reached
    stage_date      TEXT NOT NULL,          -- When it was reached
    stage_notes     TEXT                    -- Remarks
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX application_stage_once ON application_stage (application_id, stage_name);

CREATE TABLE interview_schedule (           -- An interview of an application, planned or past
    interview_id                TEXT PRIMARY KEY,  -- Interview number
    application_id              TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application that it is for
    interview_type              TEXT NOT NULL CHECK (interview_type IN ('phone_screening', 'technical_interview', 'behavioral_interview', 'system_design', 'final_interview')),  -- Kind of interview
    interview_date              TEXT NOT NULL,  -- When it begins
    interviewer_name            TEXT,       -- Who interviews
    interview_location          TEXT,       -- Where or how
    interview_duration_minutes  INTEGER CHECK (interview_duration_minutes BETWEEN 5 AND 480)  -- Length in minutes
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX interview_schedule_once ON interview_schedule (application_id, interview_date);

CREATE TABLE interview_feedback (           -- Feedback on an interview that took place
    feedback_id         TEXT PRIMARY KEY,   -- Feedback number
    interview_id        TEXT NOT NULL REFERENCES interview_schedule ON DELETE RESTRICT,  -- Interview that it is about
    feedback_content    TEXT NOT NULL CHECK (feedback_content <> ''),  -- Text
    performance_rating  INTEGER CHECK (performance_rating BETWEEN 1 AND 5),  -- 5 is best
    created_at          TEXT NOT NULL       -- When given
) STRICT, WITHOUT ROWID;

CREATE INDEX interview_feedback_by_interview ON interview_feedback (interview_id, created_at);

CREATE TABLE identification (           -- That a caller was identified
    applicant_id  TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (applicant_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    applicant_id  TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (applicant_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
