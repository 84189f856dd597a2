CREATE TABLE IF NOT EXISTS checkouts (
    request_id     TEXT    NOT NULL PRIMARY KEY,
    tenant_id      TEXT    NOT NULL,
    principal_id   TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    api_version    TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    owner_tenant   TEXT    NOT NULL,
    owner_subject  TEXT    NOT NULL,
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

    UNIQUE (tenant_id, principal_id, operation, api_version, key)
) STRICT;

CREATE INDEX IF NOT EXISTS checkouts_due ON checkouts (due_at) WHERE due_at > 0;

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
