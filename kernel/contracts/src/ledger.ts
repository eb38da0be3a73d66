import { type Static, type TSchema, Type } from 'typebox';
import { chained } from './chained.ts';
import { onBehalfOf } from './on-behalf-of.ts';
import { RecordedEvent } from './run-event.ts';
import { RUN_STATUSES } from './run-status.ts';

const nullable = <S extends TSchema>(schema: S, description: string) => Type.Union([schema, Type.Null()], { description });
const text = (description: string) => nullable(Type.String(), description);
const time = (description: string) => Type.String({ format: 'date-time', description });

/** Written once per route whenever the server starts. Every field is present; unknown ones are null or empty. */
export const ModelInventory = Type.Object(
  {
    ...chained,
    record_type: Type.Literal('model_inventory', { description: 'Always `model_inventory`.' }),
    model_id: Type.String({ description: "The route's name." }),
    model_name: Type.String({ description: 'The upstream model.' }),
    model_description: text('Description of the route from the configuration.'),
    model_risk_rating: text('Risk rating of the route from the configuration.'),
    model_owner: text('Owner of the route from the configuration.'),
    model_developer: Type.String({ description: "The provider's `developer`, or its type." }),
    model_origin: Type.String({ description: 'Provider and region.' }),
    model_version: text('Version of the route from the configuration.'),
    date_of_deployment: time('When this definition was first seen in this ledger.'),
    model_dependencies: Type.Array(Type.String(), {
      description: 'Provider, fallbacks, guard packages with versions, and the models of guards with digests.',
    }),
    data_sources: Type.Array(Type.String(), {
      description: 'Data sources of the route from the configuration, and the RAG namespaces of its guards.',
    }),
    approved_uses: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Approved uses of the route from the configuration.',
    }),
    model_limitations: Type.Array(Type.Unknown(), { description: 'Limitations of the route from the configuration.' }),
    monitoring_status: Type.String({ description: 'Monitoring status of the route from the configuration.' }),
    date_of_most_recent_review: text('ISO 8601 date of the last review, from the configuration.'),
    next_review_date: text(
      'ISO 8601 date of the next review: the configured interval after the last review, or after the deployment if there was none.',
    ),
    svc_config_path: text('Path of the configuration file.'),
  },
  { $id: 'ModelInventory', description: 'Ledger record: the settings of a route when the server started.' },
);
export type ModelInventory = Static<typeof ModelInventory>;

/** Matches a session id: 1 to 128 visible ASCII characters. */
export const SESSION_ID = '^[!-~]{1,128}$';

/** The position of a record among those of its session. A session belongs to one principal. */
export const SessionPlace = Type.Object(
  {
    id: Type.String({ pattern: SESSION_ID, description: 'The session, as its client named it.' }),
    number: Type.Integer({ minimum: 1, description: 'Position among the records of the session, counted without gaps.' }),
    prev_hash: Type.String({ description: 'Hash of the previous record of the session, `genesis` for the first.' }),
  },
  { description: 'The session of the run; absent if its client named none.' },
);
export type SessionPlace = Static<typeof SessionPlace>;

/** Written once per ended run. Optional fields hold values from the client, and are absent if it did not send them. */
export const RunEvidence = Type.Object(
  {
    ...chained,
    record_type: Type.Literal('run_evidence', { description: 'Always `run_evidence`.' }),
    run_id: Type.String({ format: 'uuid', description: 'Identifier of the run.' }),
    model_id: Type.String({ description: "The route's name." }),
    model_version: text('Version of the route from the configuration.'),
    principal_id: Type.String({ description: 'Principal that created the run.' }),
    created_at: time('When the run was created.'),
    completed_at: time('When the run ended.'),
    status: Type.Enum([...RUN_STATUSES], { description: 'Final status of the run.' }),
    events: Type.Array(RecordedEvent, { description: 'The complete history of the run, in order.' }),
    approver: nullable(
      Type.Object({
        principal_id: Type.String({ description: 'Principal that made the decision.' }),
        decision: Type.String({ description: '`approved` or `denied`.' }),
        at: Type.String({ description: 'When the decision was made, ISO 8601.' }),
        issuer: Type.Optional(Type.String({ description: 'OpenID Connect issuer that verified the person; absent for a key.' })),
        subject: Type.Optional(Type.String({ description: 'Subject of the verified person at that issuer; absent for a key.' })),
        on_behalf_of: Type.Optional(onBehalfOf),
      }),
      'The last decision on the run; null if nobody decided.',
    ),
    session: Type.Optional(SessionPlace),
    client: Type.Optional(Type.String({ description: 'Name of the client program, from its User-Agent.' })),
    user: Type.Optional(Type.String({ description: 'Keyed digest of the user that the client named.' })),
  },
  { $id: 'RunEvidence', description: 'Ledger record: the history of an ended run.' },
);
export type RunEvidence = Static<typeof RunEvidence>;

export type LedgerRecord = ModelInventory | RunEvidence;
export type LedgerRecordType = LedgerRecord['record_type'];

export interface LedgerHead {
  seq: number;
  hash: string;
}

/**
 * The canonical JSON of a record, split at its three chain fields: the members before `hash`, before `prev_hash`, before `seq`, and after `seq`.
 * A comma follows each member of the first three parts, and precedes each member of the last.
 */
export type RecordParts = readonly [string, string, string, string];

/** The last record of a session. */
export interface SessionHead extends LedgerHead {
  /** Identifies the session: its principal and its id. */
  readonly key: string;
  /** The number of records in the session. */
  readonly number: number;
}

/** A record that a commit places in the chain. */
export interface UnplacedRecord {
  readonly record_type: LedgerRecordType;
  readonly model_id: string;
  readonly parts: RecordParts;
  /** Index in the commit of the change that ends the run: the record is appended only if that change is committed. Null for an inventory record. */
  readonly change: number | null;
}

/** A record and its place in the chain. `bytes` is the canonical JSON of the whole record, including `hash`, exactly as it is stored and served. */
export interface LedgerEntry {
  readonly seq: number;
  readonly hash: string;
  readonly bytes: string;
  readonly record_type: LedgerRecordType;
  readonly model_id: string;
  /** For a record of a session, set when the record is placed in the chain. */
  readonly session?: Pick<SessionHead, 'key' | 'number'>;
}
