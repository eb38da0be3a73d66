/**
 * The migrations: entry n brings the schema from version n to n + 1. Never change a released entry. A later entry must leave the tables usable by the
 * previous release, because replicas are replaced one after another. An entry that is a string runs in one transaction. An entry that is a list runs
 * statement by statement without a transaction, so that a large table is not locked while others write to it. Each statement of a list must be
 * repeatable, because a start that was killed runs the whole list again. Columns used to find rows have collation "C": the contract orders by code
 * unit, and indexes must not depend on the system's locale.
 */
export const MIGRATIONS: readonly (string | readonly string[])[] = [
  `
  -- The one row that every commit locks: sealing is exclusive over all replicas.
  CREATE TABLE svc.head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq bigint NOT NULL,
    hash text NOT NULL
  );
  INSERT INTO svc.head (seq, hash) VALUES (0, '');

  CREATE TABLE svc.ledger (
    seq bigint PRIMARY KEY,
    hash text NOT NULL,
    record_type text COLLATE "C" NOT NULL,
    model_id text COLLATE "C" NOT NULL,
    bytes text NOT NULL
  );
  CREATE INDEX ledger_model ON svc.ledger (model_id, seq);
  -- Most records are evidence: only the other types need an index of their own.
  CREATE INDEX ledger_rare ON svc.ledger (record_type, model_id, seq) WHERE record_type <> 'run_evidence';

  CREATE TABLE svc.run (
    run_id text COLLATE "C" PRIMARY KEY,
    created_at text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    route text COLLATE "C" NOT NULL,
    principal_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX run_time ON svc.run (created_at, run_id);
  CREATE INDEX run_status ON svc.run (status, created_at, run_id);
  CREATE INDEX run_route ON svc.run (route, created_at, run_id);
  CREATE INDEX run_principal ON svc.run (principal_id, created_at, run_id);

  CREATE TABLE svc.run_count (status text COLLATE "C" PRIMARY KEY, n bigint NOT NULL);
  CREATE TABLE svc.unique_key (key text COLLATE "C" PRIMARY KEY, run_id text COLLATE "C" NOT NULL);

  CREATE TABLE svc.content (
    run_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    expires_at bigint,
    PRIMARY KEY (run_id, name)
  );
  CREATE INDEX content_expiry ON svc.content (expires_at) WHERE expires_at IS NOT NULL;

  -- The one row that whoever changes counters locks, after svc.head where both are needed.
  CREATE TABLE svc.counters (one boolean PRIMARY KEY DEFAULT true CHECK (one));
  INSERT INTO svc.counters DEFAULT VALUES;
  CREATE TABLE svc.counter (
    key text COLLATE "C" PRIMARY KEY,
    spent bigint NOT NULL,
    held bigint NOT NULL,
    since bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX counter_expiry ON svc.counter (expires_at);
  CREATE TABLE svc.reservation (id text COLLATE "C" PRIMARY KEY, holds jsonb NOT NULL, expires_at bigint NOT NULL);
  CREATE INDEX reservation_expiry ON svc.reservation (expires_at);

  -- The row stays when a lease is let go (holder null), so that tokens go on growing.
  CREATE TABLE svc.lease (
    name text COLLATE "C" PRIMARY KEY,
    holder text,
    token bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE svc.cursor (name text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL);
  CREATE TABLE svc.meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL);
  `,
  [
    // One index for each combination of the audit's filters, so that a query never reads rows that only a broader filter matches. All of them contain
    // the status, see run-query.ts. `run_status` is for queries without other filters.
    ...indexes({
      run_route_status: '(route, status, created_at, run_id)',
      run_principal_status: '(principal_id, status, created_at, run_id)',
      run_principal_route_status: '(principal_id, route, status, created_at, run_id)',
    }),
    ...['run_time', 'run_route', 'run_principal'].map((name) => `DROP INDEX CONCURRENTLY IF EXISTS svc.${name}`),
  ],
  [
    'ALTER TABLE svc.run ADD COLUMN IF NOT EXISTS session text COLLATE "C"',
    // The last record of each session.
    `CREATE TABLE IF NOT EXISTS svc.session (
       key text COLLATE "C" PRIMARY KEY,
       number bigint NOT NULL,
       seq bigint NOT NULL,
       hash text NOT NULL
     )`,
    ...indexes({ run_session_status: '(session, status, created_at, run_id) WHERE session IS NOT NULL' }),
  ],
];

/** An interrupted build leaves an unusable index, which must be dropped first. */
function indexes(columns: Readonly<Record<string, string>>): string[] {
  return Object.entries(columns).flatMap(([name, list]) => [
    `DROP INDEX CONCURRENTLY IF EXISTS svc.${name}`,
    `CREATE INDEX CONCURRENTLY ${name} ON svc.run ${list}`,
  ]);
}
