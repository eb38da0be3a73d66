import {
  type ChatCompletion as Completion,
  type ChatMessage as Message,
  ModelInventory,
  NAMESPACE_PATTERN,
  RUN_STATUSES,
  RunEvent,
  RunEvidence,
} from '@svc/kernel/contracts';
import { type Static, type TSchema, Type } from 'typebox';

/** A `$ref` to a named schema, typed as that schema. */
function ref<S extends TSchema>(schema: S & { $id?: string }) {
  return Type.Unsafe<Static<S>>(Type.Ref(String(schema.$id)));
}

const open = { additionalProperties: true } as const;
const runId = Type.String({ format: 'uuid', description: 'Identifier of the run.' });
const status = Type.Enum([...RUN_STATUSES], { description: 'Where the run stands.' });
const events = Type.Array(ref(RunEvent), { description: 'History of the run, in order.' });
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const OpenAiError = Type.Object({ message: Type.String(), type: Type.String(), code: Type.String(), param: Type.Null() });
const ChatUsage = Type.Object(
  { prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() },
  open,
);

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'One of the codes in docs/errors.md.', examples: ['SVC-AUTH-001'] }),
    detail: Type.String({
      description: 'The code, then a sentence for people.',
      examples: ['SVC-AUTH-001: missing or unknown key'],
    }),
    error: Type.Optional(
      Type.Object(OpenAiError.properties, { description: "OpenAI's form of the same error, on the chat-compatible endpoints." }),
    ),
  },
  { $id: 'Error', description: 'Every error has this body.' },
);
export type ErrorBody = Static<typeof ErrorBody>;

const ChatMessage = Type.Unsafe<Message>(
  Type.Object(
    {
      role: Type.String({ description: 'system, developer, user, assistant or tool.', examples: ['user'] }),
      content: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.Null()], {
          description: 'Text, content parts, or null beside tool calls.',
          examples: ['Hello'],
        }),
      ),
      tool_calls: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
    },
    { ...open, $id: 'ChatMessage', description: "A message in OpenAI's form; further fields pass through." },
  ),
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
    messages: Type.Array(ref(ChatMessage), { minItems: 1 }),
    stream: Type.Optional(nullable(Type.Boolean({ description: 'Answer as server-sent events.' }))),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128, description: 'How many answers.' }))),
    max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
    max_completion_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
    stream_options: Type.Optional(nullable(Type.Object({ include_usage: Type.Optional(nullable(Type.Boolean())) }, open))),
  },
  { ...open, $id: 'ChatRequest', description: "OpenAI's chat request; every parameter is accepted and passed through." },
);

export const ChatCompletion = Type.Unsafe<Completion>(
  Type.Object(
    {
      id: Type.String(),
      object: Type.Literal('chat.completion'),
      created: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
      model: Type.String({ description: "The route's name." }),
      choices: Type.Array(
        Type.Object(
          {
            index: Type.Integer(),
            message: ref(ChatMessage),
            finish_reason: nullable(Type.String({ description: '`content_filter` when the run was blocked, paused or denied.' })),
          },
          open,
        ),
      ),
      usage: Type.Optional(ChatUsage),
      svc_run_id: Type.Optional(Type.String({ description: 'The run, where it was blocked, paused or denied.' })),
      svc_retry_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Before then the same request meets the same answer; where a guard said so.',
        }),
      ),
    },
    { ...open, $id: 'ChatCompletion', description: "OpenAI's chat completion." },
  ),
);

export const ChatCompletionChunk = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion.chunk'),
    created: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
    model: Type.String({ description: "The route's name." }),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer(),
          delta: Type.Object({ role: Type.Optional(Type.String()), content: Type.Optional(nullable(Type.String())) }, open),
          finish_reason: nullable(Type.String({ description: '`content_filter` when the run was blocked, paused or denied.' })),
        },
        open,
      ),
    ),
    svc_event: Type.Optional(
      Type.Enum(['stream_violation', 'late_violation', 'blocked', 'paused', 'denied'], {
        description:
          'What ended the answer: a guard, as it left (`stream_violation`) or after all of it had (`late_violation`); else it was stopped before any of it left.',
      }),
    ),
    usage: Type.Optional(nullable(ChatUsage)),
    error: Type.Optional(
      Type.Object(OpenAiError.properties, { description: 'Why an answer that had begun breaks off, in its last frame.' }),
    ),
    svc_run_id: Type.Optional(Type.String({ description: 'The run, in the last frame.' })),
    svc_retry_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Before then the same request meets the same answer; where a guard said so.',
      }),
    ),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record, in the last frame.' })),
  },
  { ...open, $id: 'ChatCompletionChunk', description: 'A frame of a streamed answer; the last line is `data: [DONE]`.' },
);

export const Model = Type.Object(
  {
    id: Type.String({ description: "The route's name." }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
    owned_by: Type.String({ description: "The route's owner, else `svc`." }),
  },
  { $id: 'Model', description: 'A route, as the models endpoint lists it.' },
);
export const ModelList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(ref(Model)) },
  { $id: 'ModelList', description: 'One entry a route.' },
);

export const CreateRun = Type.Object(
  {
    route: Type.Optional(Type.String({ default: 'default', description: 'Name of the route.' })),
    messages: Type.Array(ref(ChatMessage), { minItems: 1 }),
    approvers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9._@:+-]{1,128}$' }), {
        default: [],
        maxItems: 64,
        description: "Principals that may decide; a subset of the route's. Empty: the route's.",
      }),
    ),
    background: Type.Optional(Type.Boolean({ default: false, description: 'Return at once with status `pending`.' })),
  },
  { ...open, $id: 'CreateRun', description: 'A governed run to make. Unknown fields are ignored.' },
);
export const CreatedRun = Type.Object(
  {
    run_id: runId,
    status,
    response: Type.String({ description: 'Text of the first answer, else empty.' }),
    principal_id: Type.String(),
    events,
  },
  { $id: 'CreatedRun', description: 'A run that was just made.' },
);
export const Run = Type.Object(
  {
    run_id: runId,
    route: Type.String(),
    principal_id: Type.String({ description: 'Who asked.' }),
    status,
    approvers: Type.Array(Type.String(), { description: 'Who may decide; empty: anyone with a key.' }),
    events,
    config_digest: Type.String({ description: '`sha256:` and hex of the configuration when the run was made.' }),
  },
  { $id: 'Run', description: 'A run and its history.' },
);
export const StoredRun = Type.Object(
  { ...Run.properties, created_at: Type.String({ format: 'date-time' }) },
  { $id: 'StoredRun', description: 'A run as the audit lists it.' },
);
export const Decide = Type.Object(
  {
    decision: Type.Enum(['approved', 'denied'], { description: 'What you decide.' }),
    digest: Type.Optional(
      Type.String({
        description: 'From the pending run: refuses the decision (409) if what it is about has changed since it was read.',
      }),
    ),
  },
  { ...open, $id: 'Decide', description: 'A decision on a paused run. Unknown fields are ignored.' },
);
export const DecidedRun = Type.Object(
  { run_id: runId, status, response: Type.String(), events },
  { $id: 'DecidedRun', description: 'A run after a decision.' },
);
export const PendingRun = Type.Object(
  {
    run_id: runId,
    route: Type.String(),
    principal_id: Type.String({ description: 'Who asked.' }),
    stage: Type.String(),
    node: Type.String({ description: 'The guard that paused it.' }),
    code: Type.String({ description: 'Why, as the guard or its rule is called.' }),
    messages: Type.Array(ref(ChatMessage), { description: 'As edited by the guards so far.' }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What else the request asks for: tools, response_format and so on.',
    }),
    answer: nullable(ref(ChatCompletion)),
    digest: Type.String({ description: 'What a decision is bound to.' }),
    since: Type.String({ format: 'date-time' }),
  },
  { $id: 'PendingRun', description: 'What an approver decides on. `answer` is the held answer where egress paused.' },
);
export const RunResponse = Type.Object(
  { run_id: runId, status, response: Type.String(), completion: nullable(ref(ChatCompletion)) },
  { $id: 'RunResponse', description: 'The answer of an ended run, while it is kept.' },
);
export const SentRequest = Type.Object(
  {
    run_id: runId,
    status,
    messages: nullable(
      Type.Array(ref(ChatMessage), {
        description: 'As the guards left them; null where the model was not asked, or this was not kept.',
      }),
    ),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: "The request's other fields." }),
  },
  { $id: 'SentRequest', description: 'What the model of an ended run was sent, while it is kept.' },
);

export const RunList = Type.Object({ runs: Type.Array(ref(StoredRun)) }, { $id: 'RunList', description: 'Runs, newest first.' });
export const LedgerList = Type.Object(
  { records: Type.Array(Type.Union([ref(RunEvidence), ref(ModelInventory)])) },
  { $id: 'LedgerList', description: 'Ledger records in order, as they were sealed.' },
);
export const InventoryList = Type.Object(
  { records: Type.Array(ref(ModelInventory)) },
  { $id: 'InventoryList', description: 'Inventory records in order, as they were sealed.' },
);
export const Report = Type.Object(
  {
    generated_at: Type.String({ format: 'date-time' }),
    inventory: Type.Array(ref(ModelInventory), { description: 'The records of the last start, one a route.' }),
    run_stats: Type.Record(Type.String(), Type.Integer(), { description: 'Number of runs by status.' }),
    chain_length: Type.Integer({ description: 'Records in the ledger.' }),
  },
  { $id: 'Report', description: 'A summary for auditors.' },
);

const TreeHead = Type.Object({
  size: Type.Integer({ description: 'Number of records.' }),
  root: Type.String({ description: 'Root of their RFC 6962 tree, base64.' }),
});
export const ConsistencyProof = Type.Object(
  {
    from: TreeHead,
    to: TreeHead,
    path: Type.Array(Type.String(), { description: 'Hashes in base64, RFC 6962, 2.1.2.' }),
  },
  { $id: 'ConsistencyProof', description: 'Proves that one ledger is the beginning of another.' },
);

export const LedgerKeys = Type.Object(
  {
    origin: Type.String({ description: 'First line of every checkpoint.' }),
    verifier_keys: Type.Array(Type.String(), {
      description: '`name+id+key`: id in hex, an Ed25519 key in base64. The newest first.',
    }),
  },
  { $id: 'LedgerKeys', description: 'Public keys of the ledger.' },
);

export const ErasedRun = Type.Object(
  {
    run_id: runId,
    status,
    reaches_copies: Type.Boolean({
      description:
        'Whether copies of the store from before are unreadable for it, too. False: they are once store.content_key was exchanged.',
    }),
  },
  { $id: 'ErasedRun', description: 'A run without content.' },
);

export const RouteNode = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    package: Type.String(),
    version: Type.String(),
    mode: Type.String({ description: 'enforce or observe.' }),
    verdicts: Type.Array(Type.String(), { description: 'What it may answer beside allow.' }),
  },
  { $id: 'RouteNode', description: 'A guard of a pipeline.' },
);
export const Route = Type.Object(
  {
    name: Type.String(),
    owner: nullable(Type.String()),
    risk_rating: nullable(Type.String()),
    review_interval_days: nullable(Type.Integer()),
    residency: Type.Array(Type.String()),
    approvers: Type.Array(Type.String()),
    provider: Type.Object({ name: Type.String(), type: Type.String(), region: nullable(Type.String()), model: Type.String() }),
    fallbacks: Type.Array(Type.Object({ name: Type.String(), model: Type.String() }), {
      description: 'Providers that are tried when the first fails.',
    }),
    pipeline: Type.Object({ ingress: Type.Array(ref(RouteNode)), egress: Type.Array(ref(RouteNode)) }),
    streams: Type.Enum(['as-it-comes', 'when-judged'], {
      description: 'When a streamed answer leaves: as the model writes it, or after the guards have seen the whole.',
    }),
  },
  { $id: 'Route', description: "A route's attributes and nodes." },
);
export type Route = Static<typeof Route>;
export const RouteList = Type.Object(
  {
    routes: Type.Array(ref(Route)),
    caller: Type.Object(
      {
        principal_id: Type.String(),
        roles: Type.Array(Type.String(), { description: 'What the key is for.' }),
      },
      { description: 'Whose key asked.' },
    ),
  },
  { $id: 'RouteList', description: 'The routes that the key is for.' },
);

export const Health = Type.Object(
  {
    status: Type.String({ description: '`ok`, or `unavailable` while evidence cannot be written.' }),
    config_digest: Type.String(),
    config_path: Type.String(),
  },
  { $id: 'Health', description: 'Whether the gateway works, and with which configuration.' },
);
const metadata = Type.Record(Type.String(), Type.Unknown());
const namespace = Type.String({
  pattern: NAMESPACE_PATTERN,
  description: '1 to 64 letters, digits or any of `. _ -`, the first a letter or digit.',
});
export const RagIndex = Type.Object(
  {
    namespace,
    documents: Type.Array(Type.Object({ text: Type.String({ minLength: 1 }), metadata: Type.Optional(metadata) }, open), {
      description: 'All are indexed, or none. The same text with the same metadata is kept once.',
    }),
  },
  { ...open, $id: 'RagIndex', description: 'Documents to index.' },
);
export const RagIndexed = Type.Object(
  { indexed: Type.Integer(), namespace: Type.String() },
  { $id: 'RagIndexed', description: 'What was indexed.' },
);
export const RagQuery = Type.Object(
  {
    namespace,
    query: Type.String({ minLength: 1 }),
    k: Type.Optional(Type.Integer({ default: 4, minimum: 1, maximum: 100, description: 'How many documents at most.' })),
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Only documents whose metadata has each of these fields, and equal.',
      }),
    ),
  },
  { ...open, $id: 'RagQuery', description: 'A question to the vector store.' },
);
export const RagFound = Type.Object(
  { namespace: Type.String(), docs: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), metadata })) },
  { $id: 'RagFound', description: 'The nearest documents, best first.' },
);

/** Every schema with a name, for validation and openapi.json. */
export const NAMED_SCHEMAS: readonly TSchema[] = [
  ErrorBody,
  RunEvent,
  ModelInventory,
  RunEvidence,
  ChatMessage,
  ChatRequest,
  ChatCompletion,
  ChatCompletionChunk,
  Model,
  ModelList,
  CreateRun,
  CreatedRun,
  Run,
  StoredRun,
  Decide,
  DecidedRun,
  PendingRun,
  RunResponse,
  ErasedRun,
  SentRequest,
  RunList,
  LedgerList,
  InventoryList,
  Report,
  ConsistencyProof,
  LedgerKeys,
  RouteNode,
  Route,
  RouteList,
  Health,
  RagIndex,
  RagIndexed,
  RagQuery,
  RagFound,
];

export { ref };
