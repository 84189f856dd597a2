-- The tables of schema.sql as PostgreSQL has them. The last thing made here is what
-- tells a store that they are there.

CREATE TABLE IF NOT EXISTS checkouts (
    request_id     TEXT    NOT NULL PRIMARY KEY,
    tenant_id      TEXT    NOT NULL,
    principal_id   TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    api_version    TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    owner_tenant   TEXT    NOT NULL,
    owner_subject  TEXT    NOT NULL,
    version        TEXT    NOT NULL, -- of the API, and with it the form of the answer
    cancels        TEXT    NOT NULL, -- request id of the checkout that this one cancels, or empty
    fingerprint    TEXT    NOT NULL,
    order_json     TEXT    NOT NULL, -- the validated request; holds a payment token, never card data
    correlation_id TEXT    NOT NULL,

    state          TEXT    NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL')),
    code           TEXT    NOT NULL,
    lock           TEXT    NOT NULL CHECK (lock IN ('IN_PROGRESS', 'PARKED', 'RELEASED')),
    fence          BIGINT  NOT NULL,
    lease_until    BIGINT  NOT NULL, -- times are microseconds since 1970, 0 is none
    due_at         BIGINT  NOT NULL,
    run            BIGINT  NOT NULL,

    reservation_id TEXT    NOT NULL,
    charge_id      TEXT    NOT NULL,
    order_id       TEXT    NOT NULL,

    status         BIGINT  NOT NULL, -- the stored answer
    headers        TEXT    NOT NULL,
    body           BYTEA   NOT NULL,
    attempt_count  BIGINT  NOT NULL,

    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    terminal_at    BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL,

    payment_key    TEXT    NOT NULL, -- by which the payment provider knows the payment, or empty

    UNIQUE (tenant_id, principal_id, operation, api_version, key)
);

CREATE UNIQUE INDEX IF NOT EXISTS checkouts_cancelled ON checkouts (cancels) WHERE cancels <> '' AND state <> 'FAILED_FINAL';

CREATE INDEX IF NOT EXISTS checkouts_due ON checkouts (due_at) WHERE due_at > 0;

CREATE INDEX IF NOT EXISTS checkouts_payment ON checkouts (payment_key) WHERE payment_key <> '';

CREATE INDEX IF NOT EXISTS checkouts_expired ON checkouts (expires_at) WHERE expires_at > 0;

-- What is left of a purged record: that its key was used, and nothing of it.
CREATE TABLE IF NOT EXISTS tombstones (
    tenant_id      TEXT    NOT NULL,
    principal_id   TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    api_version    TEXT    NOT NULL,
    key_sha256     BYTEA   NOT NULL,
    purged_at      BIGINT  NOT NULL,
    PRIMARY KEY (tenant_id, principal_id, operation, api_version, key_sha256)
);

CREATE TABLE IF NOT EXISTS attempts (
    request_id     TEXT    NOT NULL REFERENCES checkouts (request_id),
    operation      TEXT    NOT NULL,
    run            BIGINT  NOT NULL,
    number         BIGINT  NOT NULL,
    dependency     TEXT    NOT NULL,
    class          TEXT    NOT NULL,
    status         BIGINT  NOT NULL,
    unknown        BOOLEAN NOT NULL,
    correlation_id TEXT    NOT NULL,
    started_at     BIGINT  NOT NULL,
    ended_at       BIGINT  NOT NULL,
    rowid          BIGINT  GENERATED ALWAYS AS IDENTITY, -- the order of arrival; SQLite has it by itself
    PRIMARY KEY (request_id, operation, run, number)
);

-- Counts the events of one checkout.
CREATE TABLE IF NOT EXISTS sequences (
    tenant_id      TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL,
    latest         BIGINT  NOT NULL,
    PRIMARY KEY (tenant_id, aggregate_id)
);

CREATE TABLE IF NOT EXISTS events (
    event_id       TEXT    NOT NULL PRIMARY KEY,
    tenant_id      TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL, -- request id of the checkout that it is about
    sequence       BIGINT  NOT NULL CHECK (sequence > 0),
    type           TEXT    NOT NULL,
    schema_version BIGINT  NOT NULL,
    payload        BYTEA   NOT NULL,
    correlation_id TEXT    NOT NULL,
    occurred_at    BIGINT  NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD_LETTER')),
    rowid          BIGINT  GENERATED ALWAYS AS IDENTITY, -- the order of arrival
    UNIQUE (tenant_id, aggregate_id, sequence)
);

CREATE TABLE IF NOT EXISTS results (
    tenant_id      TEXT    NOT NULL,
    owner_subject  TEXT    NOT NULL,
    method         TEXT    NOT NULL,
    target         TEXT    NOT NULL, -- path and query as the dependency sees them
    call           TEXT    NOT NULL, -- digest of key and body of a write, empty for a read
    status         BIGINT  NOT NULL,
    headers        TEXT    NOT NULL,
    body           BYTEA   NOT NULL,
    stored_at      BIGINT  NOT NULL,
    PRIMARY KEY (tenant_id, owner_subject, method, target, call)
);

CREATE INDEX IF NOT EXISTS results_stored ON results (stored_at);
