import { type Static, Type } from 'typebox';
import { VERDICTS } from './guard.ts';
import { onBehalfOf } from './on-behalf-of.ts';
import { type Endpoint, PROVIDER_ERROR_KINDS } from './provider.ts';
import { RUN_STATUSES, type RunStatus } from './run-status.ts';
import { TEXT_ORIGINS } from './segment.ts';
import { SignedDecision } from './signed-decision.ts';
import { UPSTREAM_ERROR_CODES, type UpstreamErrorCode } from './upstream-error.ts';

export const EVENT_STAGES = ['ingress', 'execute', 'egress', 'approval'] as const;
export type EventStage = (typeof EVENT_STAGES)[number];

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const endpoint = Type.Object(
  {
    provider: text('Key of the provider in the configuration.'),
    model: text('Upstream model.'),
    region: nullable('Declared region; null if none is declared.'),
  },
  { description: 'The model endpoint that the event is about.' },
);
const digest = text('Digest of the pending payload. A decision applies only to this payload.');
const route_digest = text('Digest of the route when the run paused.');
const code = text('Code of the reason: a constant of the guard or of the gateway, or the name of a rule.');

/** The result of a node, in `verdict` and `observed`. */
const judged = {
  verdict: Type.Enum([...VERDICTS], { description: 'Verdict of the guard, or its `on_error` if it failed.' }),
  code,
  package: text('Package of the guard.'),
  version: text('Version of that package.'),
  mode: Type.Enum(['whole', 'window', 'post'], {
    description: 'When the guard saw the text: before any of it was sent, while it was sent, or afterwards.',
  }),
  scanned: Type.Object(
    {
      segments: count('Number of texts.'),
      characters: count('UTF-16 code units.'),
      skipped: Type.Array(
        Type.Object({
          path: text('Path in the request or answer.'),
          why: Type.Enum(['image', 'audio', 'file', 'opaque', 'handle'], {
            description:
              "Kind of the part: `opaque` is a value that only the model's vendor can read, `handle` one that the gateway encrypted.",
          }),
        }),
        { description: 'Parts that guards cannot read, the first 20.' },
      ),
      skipped_more: Type.Optional(count('Number of parts beyond those listed.')),
    },
    { description: 'What the guard checked.' },
  ),
  findings: Type.Array(
    Type.Object({
      entity_type: text('Type of the finding.'),
      count: count('Number of findings.'),
      origins: Type.Optional(
        Type.Array(Type.Enum([...TEXT_ORIGINS]), {
          description: 'Origin of the texts with these findings, if the guard reports it.',
        }),
      ),
      score_ppm: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000,
          description: 'The highest score of these findings in millionths, if the guard reports it.',
        }),
      ),
    }),
    { description: 'Findings, one entry per type.' },
  ),
  duration_ms: count('Duration in milliseconds.'),
  failure: Type.Optional(Type.Enum(['threw', 'timeout', 'invalid', 'busy'], { description: 'How the guard failed.' })),
  retrieved: Type.Optional(
    Type.Array(
      Type.Object({ id: text('Id of the document.'), score_ppm: Type.Integer({ description: 'Similarity in millionths.' }) }),
      {
        description: 'Documents that the guard added to the request.',
      },
    ),
  ),
  retry_at: Type.Optional(
    Type.Integer({ description: 'Milliseconds since the Unix epoch. Until then, the same request gets the same result.' }),
  ),
  endpoint: Type.Optional(endpoint),
  hint: Type.Optional(
    Type.Object(
      {
        text: text("The guard's message."),
        retry_at: Type.Optional(
          Type.Integer({ description: 'Milliseconds since the Unix epoch. Until then, the same request gets the same result.' }),
        ),
      },
      { description: 'For the caller, only in the response to the request. It is not stored.' },
    ),
  ),
};

const operation = Type.Integer({ minimum: 1, description: '`seq` of the change in the operations log.' });

const cut = {
  spend: Type.Optional(Type.Literal('unknown', { description: 'The cost of a call is unknown.' })),
};

/** The data of each event type: only codes, names, integers and digests, never caller text, a pattern or an upstream's message. */
export const EVENT_DATA = {
  state: Type.Object(
    {
      from: Type.Union([Type.Enum([...RUN_STATUSES]), Type.Null()], { description: 'Previous status; null at the start.' }),
      to: Type.Enum([...RUN_STATUSES], { description: 'New status.' }),
      config_digest: text('Digest of the active configuration.'),
      endpoint: Type.Optional(endpoint),
    },
    { description: 'The status of the run changed.' },
  ),
  unsupported: Type.Object(
    { names: Type.Array(Type.String(), { description: 'Paths of fields and types, such as `tools.web_search`.' }) },
    {
      description:
        'Parts of the request that were not sent to a model: vendor tools that the route does not list, fields that no provider of the route supports, and returned stop texts (`messages.stop`).',
    },
  ),
  checked: Type.Object(
    { not_asked: Type.Array(Type.String(), { description: 'Guards of the stage that need a model call, such as budgets.' }) },
    {
      description: 'The guards of one stage checked a body without a model call. A guard that requires approval blocks the body.',
    },
  ),
  verdict: Type.Object(judged, { description: 'Verdict of a node.' }),
  observed: Type.Object(judged, { description: 'Verdict of a node with `mode: observe`. It is not enforced.' }),
  skipped: Type.Object(
    { operation, package: text('Package of the guard.'), version: text('Version of that package.') },
    { description: 'A node was skipped because an operator has disabled its guard.' },
  ),
  provider_call: Type.Object(
    {
      provider: text('Key of the provider in the configuration.'),
      model: text('Upstream model.'),
      region: nullable('Declared region; null if none is declared.'),
      attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt, from 1.' }),
      outcome: Type.Enum(['answered', 'cut', 'skipped', ...PROVIDER_ERROR_KINDS], {
        description:
          '`cut`: the gateway stopped sending the answer. `skipped`: not called, because its last calls all failed, it refused the last call, or an operator has disabled the provider. Other values name the kind of failure.',
      }),
      finish_reason: Type.Optional(nullable('Finish reason of the answer; null if the provider reported none.')),
      code: Type.Optional(
        Type.Unsafe<UpstreamErrorCode>({
          type: 'string',
          enum: [...UPSTREAM_ERROR_CODES],
          description: 'Error code of the upstream, if it is a known one.',
        }),
      ),
      param: Type.Optional(text('Field of the request that the upstream rejected.')),
      status: Type.Optional(Type.Integer({ description: "HTTP status of the upstream's error." })),
      reconnected: Type.Optional(
        Type.Boolean({
          description:
            'A reused connection broke before any byte of the answer arrived, so the request was sent again on a new one.',
        }),
      ),
      upstream_request_id: Type.Optional(text('Id that the upstream gave the call.')),
      latency_ms: count('Duration of the call in milliseconds.'),
      first_token_ms: Type.Optional(count('Milliseconds to the first text of a stream.')),
      left_out: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Fields that were removed from the answer, because guards cannot check them or the API of the caller does not have them.',
        }),
      ),
      unsupported: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'Parameters that the provider does not support, or parts of them, such as `messages.cache_control` and `tools.web_search`; unknown ones are `other`.',
        }),
      ),
      usage: Type.Optional(
        Type.Object(
          {
            input_tokens: count('Billed tokens of the request.'),
            output_tokens: count('Billed tokens of the answer.'),
            cached_input_tokens: count('Part of `input_tokens` that came from the cache.'),
            cache_write_5m_tokens: Type.Optional(
              count('Part of `input_tokens` that was written to the cache for 5 minutes or an unknown time.'),
            ),
            cache_write_1h_tokens: Type.Optional(count('Part of `input_tokens` that was written to the cache for an hour.')),
            input_audio_tokens: Type.Optional(count('Part of `input_tokens` that was audio.')),
            output_audio_tokens: Type.Optional(count('Part of `output_tokens` that was audio.')),
            reasoning_tokens: Type.Optional(count('Part of `output_tokens` that was reasoning.')),
            web_searches: Type.Optional(count('Web searches that the provider made.')),
            estimated: Type.Boolean({ description: 'The provider reported no usage.' }),
          },
          { description: 'Billed usage. Parts that are zero are absent.' },
        ),
      ),
      price: Type.Optional(
        Type.Object(
          {
            micro_usd: count('Millionths of a US dollar, rounded up.'),
            source: Type.Enum(['configuration', 'catalogue'], { description: 'Source of the price.' }),
            version: Type.Optional(text('Version of the catalogue.')),
          },
          { description: 'Cost at the prices of that time; absent: the model has no price.' },
        ),
      ),
    },
    { description: 'One attempt to call a model.' },
  ),
  paused: Type.Object(
    {
      code,
      digest,
      escalation: Type.Optional(
        Type.Object(
          {
            approvers: Type.Array(Type.String(), { description: 'Principals, and groups as `group/NAME`.' }),
            at: text('When they may start to decide, ISO 8601.'),
          },
          { description: 'Who else may decide later. Absent: no one.' },
        ),
      ),
      route_digest,
    },
    { description: 'The run is waiting for a decision.' },
  ),
  escalated: Type.Object(
    {
      approvers: Type.Array(Type.String(), { description: 'Who may also decide: principals, and groups as `group/NAME`.' }),
      at: text('When they may start to decide, ISO 8601.'),
      digest,
    },
    { description: 'Nobody decided in time, so further approvers may decide. Recorded at most about a minute later.' },
  ),
  decision: Type.Object(
    {
      decision: Type.Enum(['approved', 'denied'], { description: 'The decision.' }),
      approvals: Type.Optional(
        Type.Object(
          {
            given: count('Number of approvals that count, including this one.'),
            needed: count('Number of approvals that the route needs.'),
          },
          { description: 'Present in an approval if the route needs more than one.' },
        ),
      ),
      principal_id: text('Principal that decided.'),
      at: text('When the decision was made, ISO 8601.'),
      issuer: Type.Optional(text('OpenID Connect issuer that verified the person; absent for a key.')),
      subject: Type.Optional(text('Subject of the verified person at that issuer; absent for a key.')),
      digest,
      edited: Type.Optional(
        text('Digest of the content after the edits of the approver. The approval is for that content. Absent: no edits.'),
      ),
      escalated_at: Type.Optional(
        text('When this person could start to decide, ISO 8601, because the run was escalated. Absent: since the pause.'),
      ),
      on_behalf_of: Type.Optional(onBehalfOf),
      reason_digest: Type.Optional(
        text('SHA-256 of a salt and the reason. The reason is stored as content. Absent: no reason was given.'),
      ),
      route_digest,
      signed: Type.Optional(SignedDecision),
      together: Type.Optional(
        Type.Object(
          {
            run_id: text('The run on which the decision was made.'),
            runs: Type.Integer({ minimum: 2, description: 'Number of runs that the decision applies to, including this one.' }),
          },
          { description: 'Present if one decision was made for several paused runs of the same request.' },
        ),
      ),
    },
    { description: 'An approver decided.' },
  ),
  reused: Type.Object(
    {
      decision: Type.Enum(['approved', 'denied'], { description: 'The earlier decision, which also applies to this run.' }),
      code,
      run_id: text('The run on which the decision was made.'),
      record: Type.Optional(
        Type.Object(
          { seq: Type.Integer({ minimum: 1, description: '`seq` of the record.' }), hash: text('`hash` of the record.') },
          { description: 'Ledger record of that run; absent if the run had not ended.' },
        ),
      ),
      principal_id: text('Principal that decided.'),
      at: text('When the decision was made, ISO 8601.'),
      issuer: Type.Optional(text('OpenID Connect issuer that verified the person; absent for a key.')),
      subject: Type.Optional(text('Subject of the verified person at that issuer; absent for a key.')),
      digest: text('Digest of the payload that was decided on, as in the `decision` event of that run.'),
    },
    { description: 'The request repeats one that was decided recently, so that decision was applied again.' },
  ),
  expired: Type.Object({ digest }, { description: 'The approval timed out.' }),
  erased: Type.Object(
    { principal_id: text('Principal that erased the content.'), at: text('When the content was erased, ISO 8601.') },
    { description: 'The content was erased.' },
  ),
  error: Type.Object(
    { code: text('The error code.') },
    { description: 'The run failed. If `node` is set, that guard could not settle its reservations.' },
  ),
  stopped: Type.Object(
    {
      code: Type.Enum(['route_disabled', 'provider_disabled', 'principal_disabled'], { description: 'What was disabled.' }),
      operation,
      ...cut,
    },
    { description: 'An operator stopped the run.' },
  ),
  interrupted: Type.Object(cut, { description: 'The process that worked on the run ended.' }),
  disconnected: Type.Object(cut, { description: 'The caller disconnected.' }),
} as const;

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = Static<(typeof EVENT_DATA)[T]>;

export const EVENT_TYPES: readonly EventType[] = Object.keys(EVENT_DATA) as EventType[];

const stage = Type.Enum([...EVENT_STAGES], { description: 'The stage of the run.' });
const node = text(
  'Name of the guard; in `execute` that of the provider, in `approval` that of the node that paused the run. Otherwise empty.',
);

type AnyField = { [T in EventType]: keyof EventData<T> }[EventType];
/** The data of an event of any release. Newer fields may be missing in events of earlier releases. Fields of other event types are absent. */
type ReadData<T extends EventType> = Partial<EventData<T>> & { [K in Exclude<AnyField, keyof EventData<T>>]?: never };

/** An event of any release. */
export type RunEvent = {
  [T in EventType]: { event_type: T; stage: EventStage; node: string; data: ReadData<T> };
}[EventType];

/** For example `ProviderCallEvent` for `provider_call`. */
const schemaName = (type: EventType): string => `${type.replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase())}Event`;

/** The events that this release writes, one schema per type, so that client generators have a name for each. */
export const EVENT_SCHEMAS = EVENT_TYPES.map((type) =>
  Type.Object(
    { event_type: Type.Literal(type, { description: 'The type of the event.' }), stage, node, data: EVENT_DATA[type] },
    { $id: schemaName(type), description: `An event of the type \`${type}\`.` },
  ),
);

/** One entry of a run's history, in the form that this release writes. */
export const RunEvent = Type.Unsafe<RunEvent>(
  Type.Union(
    EVENT_TYPES.map((type) => Type.Ref(schemaName(type))),
    { $id: 'RunEvent', description: 'One entry of the history of a run. `event_type` determines the fields of `data`.' },
  ),
);

/** An event of any release, as found in a record. Ledgers are verified against this schema. */
export const RecordedEvent = Type.Object(
  {
    event_type: Type.String({ description: `One of ${EVENT_TYPES.join(', ')}.` }),
    stage: Type.String({ description: `One of ${EVENT_STAGES.join(', ')}.` }),
    node,
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'The fields depend on `event_type`, as in `RunEvent`.' }),
  },
  { description: 'One entry of the history of a run.' },
);

/**
 * The only function that creates events. The keys of `data` must be in canonical order, so that the events can be written into evidence without
 * sorting.
 */
export function runEvent<T extends EventType>(event_type: T, stage: EventStage, node: string, data: EventData<T>): RunEvent {
  return { data, event_type, node, stage } as unknown as RunEvent;
}

/** A `state` event. `endpoint`: the endpoint that is called next. The event is stored before the call. */
export function stateEvent(
  stage: EventStage,
  config_digest: string,
  endpoint: Endpoint | null,
  from: RunStatus | null,
  to: RunStatus,
): RunEvent {
  return runEvent('state', stage, '', { config_digest, ...(endpoint === null ? {} : { endpoint }), from, to });
}
