-- A job application office: people's applications, how far each got, their interviews, feedback and offers.

CREATE TABLE job_application (               -- One application of a person for a job
    application_id           TEXT PRIMARY KEY,  -- Application number
    applicant_name           TEXT NOT NULL CHECK (applicant_name <> ''),  -- Full name of the applicant
    email                    TEXT NOT NULL CHECK (email <> ''),  -- The applicant's email; applications with the same one are of the same person
    phone                    TEXT CHECK (phone <> ''),  -- The applicant's phone
    job_title                TEXT NOT NULL CHECK (job_title <> ''),  -- Title of the job
    company_name             TEXT NOT NULL CHECK (company_name <> ''),  -- The employer
    application_date         TEXT NOT NULL,  -- When applied; of a draft, when it was begun
    status                   TEXT NOT NULL DEFAULT 'submitted' CHECK (status IN ('draft', 'submitted', 'under_review', 'rejected', 'accepted', 'withdrawn', 'archived')),  -- How far the application got
    resume_content           TEXT CHECK (resume_content <> ''),  -- Text of the resume
    resume_format            TEXT CHECK (resume_format <> '') CHECK ((resume_format IS NULL) = (resume_content IS NULL)),  -- Format of the resume, such as pdf or docx
    resume_uploaded_at       TEXT CHECK ((resume_uploaded_at IS NULL) = (resume_content IS NULL)),  -- When the resume was uploaded
    cover_letter_content     TEXT CHECK (cover_letter_content <> ''),  -- Text of the cover letter
    cover_letter_uploaded_at TEXT CHECK ((cover_letter_uploaded_at IS NULL) = (cover_letter_content IS NULL)),  -- When the cover letter was uploaded
    deadline_date            TEXT,           -- When something is due
    deadline_type            TEXT CHECK (deadline_type <> '') CHECK ((deadline_type IS NULL) = (deadline_date IS NULL)),  -- What is due, such as follow_up or response
    referral_source          TEXT CHECK (referral_source <> ''),  -- Where the job was found, such as LinkedIn
    referral_person          TEXT CHECK (referral_person <> ''),  -- Who referred the applicant
    priority_level           INTEGER CHECK (priority_level BETWEEN 1 AND 5),  -- How much it matters, 5 is highest
    priority_reason          TEXT CHECK (priority_reason <> '') CHECK (priority_reason IS NULL OR priority_level IS NOT NULL) CHECK (priority_level <> 5 OR priority_reason IS NOT NULL),  -- Why this priority; level 5 needs it
    expected_salary_min      INTEGER CHECK (expected_salary_min > 0),  -- Least salary expected, whole currency units
    expected_salary_max      INTEGER CHECK (expected_salary_max > 0) CHECK (expected_salary_max >= expected_salary_min),  -- Greatest salary expected, whole currency units
    salary_currency          TEXT NOT NULL DEFAULT 'USD' CHECK (length(salary_currency) = 3),  -- Currency code of the expectation
    created_at               TEXT NOT NULL,  -- When the row was made
    updated_at               TEXT            -- When the row was last changed
) STRICT, WITHOUT ROWID;

CREATE TABLE application_note (              -- A note on an application
    note_id        TEXT PRIMARY KEY,         -- Note number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it is about
    note_content   TEXT NOT NULL CHECK (note_content <> ''),  -- Text of the note
    note_type      TEXT CHECK (note_type <> ''),  -- Kind of note, such as follow_up, reminder, general
    created_at     TEXT NOT NULL             -- When it was written
) STRICT, WITHOUT ROWID;

CREATE TABLE application_stage (             -- A stage that an application reached
    stage_id       TEXT PRIMARY KEY,         -- Stage number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application that reached it
    stage_name     TEXT NOT NULL CHECK (stage_name <> ''),  -- Name of the stage, such as phone_screening
    stage_date     TEXT NOT NULL,            -- When it was reached
    stage_notes    TEXT CHECK (stage_notes <> ''),  -- Remarks on the stage
    UNIQUE (application_id, stage_name)      -- An application has each stage once
) STRICT, WITHOUT ROWID;

CREATE TABLE interview_schedule (            -- An interview planned or held for an application
    interview_id               TEXT PRIMARY KEY,  -- Interview number
    application_id             TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it is held for
    interview_type             TEXT NOT NULL CHECK (interview_type <> ''),  -- Kind of interview, such as technical_interview
    interview_date             TEXT NOT NULL,  -- When it starts
    interviewer_name           TEXT CHECK (interviewer_name <> ''),  -- Who interviews
    interview_location         TEXT CHECK (interview_location <> ''),  -- Place or way of meeting
    interview_duration_minutes INTEGER CHECK (interview_duration_minutes BETWEEN 1 AND 480)  -- Length in minutes
) STRICT, WITHOUT ROWID;

CREATE TABLE interview_feedback (            -- Feedback on an interview that took place
    feedback_id        TEXT PRIMARY KEY,     -- Feedback number
    interview_id       TEXT NOT NULL REFERENCES interview_schedule ON DELETE RESTRICT,  -- Interview it is about
    feedback_content   TEXT NOT NULL CHECK (feedback_content <> ''),  -- What was said or noticed
    performance_rating INTEGER CHECK (performance_rating BETWEEN 1 AND 5),  -- How well it went, 5 is best
    created_at         TEXT NOT NULL         -- When it was given
) STRICT, WITHOUT ROWID;

CREATE TABLE job_offer (                     -- An employer's offer for an application
    offer_id        TEXT PRIMARY KEY,        -- Offer number
    application_id  TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it answers
    base_salary     INTEGER NOT NULL CHECK (base_salary > 0),  -- Salary per year, whole currency units
    salary_currency TEXT NOT NULL CHECK (length(salary_currency) = 3),  -- Currency code of the salary
    respond_by      TEXT NOT NULL CHECK (respond_by > created_at),  -- Last moment to answer
    offer_status    TEXT NOT NULL DEFAULT 'pending' CHECK (offer_status IN ('pending', 'accepted', 'declined')),  -- Whether it was answered
    created_at      TEXT NOT NULL,           -- When the row was made
    updated_at      TEXT                     -- When the row was last changed
) STRICT, WITHOUT ROWID;

CREATE INDEX application_by_email ON job_application (email, status);
CREATE INDEX application_by_status ON job_application (status, application_date);
CREATE INDEX note_by_application ON application_note (application_id, created_at);
CREATE INDEX stage_by_application ON application_stage (application_id, stage_date);
CREATE INDEX interview_by_application ON interview_schedule (application_id, interview_date);
CREATE INDEX interview_by_date ON interview_schedule (interview_date);
CREATE INDEX feedback_by_interview ON interview_feedback (interview_id, created_at);
CREATE INDEX offer_by_application ON job_offer (application_id, offer_status);
