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
    fence          INTEGER NOT NULL,
    lease_until    INTEGER NOT NULL, -- times are microseconds since 1970, 0 is none
    due_at         INTEGER NOT NULL,
    run            INTEGER NOT NULL,

    reservation_id TEXT    NOT NULL,
    charge_id      TEXT    NOT NULL,
    order_id       TEXT    NOT NULL,

    status         INTEGER NOT NULL, -- the stored answer
    headers        TEXT    NOT NULL,
    body           BLOB    NOT NULL,
    attempt_count  INTEGER NOT NULL,

    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    terminal_at    INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,

    payment_key    TEXT    NOT NULL, -- by which the payment provider knows the payment, or empty

    UNIQUE (tenant_id, principal_id, operation, api_version, key)
) STRICT;

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
    key_sha256     BLOB    NOT NULL,
    purged_at      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, principal_id, operation, api_version, key_sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS attempts (
    request_id     TEXT    NOT NULL REFERENCES checkouts (request_id),
    operation      TEXT    NOT NULL,
    run            INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    dependency     TEXT    NOT NULL,
    class          TEXT    NOT NULL,
    status         INTEGER NOT NULL,
    unknown        INTEGER NOT NULL,
    correlation_id TEXT    NOT NULL,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER NOT NULL,
    PRIMARY KEY (request_id, operation, run, number)
) STRICT;

-- Counts the events of one checkout.
CREATE TABLE IF NOT EXISTS sequences (
    tenant_id      TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL,
    latest         INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, aggregate_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS events (
    rowid          INTEGER PRIMARY KEY, -- the order of arrival; named, so that VACUUM leaves it alone
    event_id       TEXT    NOT NULL UNIQUE,
    tenant_id      TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL, -- request id of the checkout that it is about
    sequence       INTEGER NOT NULL CHECK (sequence > 0),
    type           TEXT    NOT NULL,
    schema_version INTEGER NOT NULL,
    payload        BLOB    NOT NULL,
    correlation_id TEXT    NOT NULL,
    occurred_at    INTEGER NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD_LETTER')),
    UNIQUE (tenant_id, aggregate_id, sequence)
) STRICT;

CREATE TABLE IF NOT EXISTS results (
    tenant_id      TEXT    NOT NULL,
    owner_subject  TEXT    NOT NULL,
    method         TEXT    NOT NULL,
    target         TEXT    NOT NULL, -- path and query as the dependency sees them
    call           TEXT    NOT NULL, -- digest of key and body of a write, empty for a read
    status         INTEGER NOT NULL,
    headers        TEXT    NOT NULL,
    body           BLOB    NOT NULL,
    stored_at      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, owner_subject, method, target, call)
) STRICT;

CREATE INDEX IF NOT EXISTS results_stored ON results (stored_at);
