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
const nullable = <S extends TSchema>(schema: S, description: string) => Type.Union([schema, Type.Null()], { description });
const text = (description: string) => Type.String({ description });
const created = Type.Integer({ description: 'Seconds since the Unix epoch.' });
const routeName = text("The route's name.");
const asker = text('Who asked.');
const answerText = text('Text of the first answer, else empty.');
const configDigest = text('`sha256:` and hex of the configuration file.');

const OpenAiError = Type.Object({
  message: text('The same as `detail`.'),
  type: text("OpenAI's name for the kind of error."),
  code: text('One of the codes in docs/errors.md.'),
  param: Type.Null({ description: 'Always null.' }),
});
const ChatUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({ description: 'Tokens of the request.' }),
    completion_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
    total_tokens: Type.Integer({ description: 'Both together.' }),
  },
  { ...open, description: 'What was used, as the provider says; else counted by the gateway.' },
);
const finishReason = nullable(
  Type.String(),
  'Why the answer ends; `content_filter` when the run was blocked, paused or denied; null while it goes on.',
);
const retryAt = Type.String({
  format: 'date-time',
  description: 'Before then the same request meets the same answer; where a guard said so.',
});

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
      tool_calls: Type.Optional(
        Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'What the model wants to call.' }),
      ),
    },
    { ...open, $id: 'ChatMessage', description: "A message in OpenAI's form; further fields pass through." },
  ),
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
    stream: Type.Optional(nullable(Type.Boolean(), 'Answer as server-sent events.')),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }), 'How many answers.')),
    max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Most tokens of an answer; the older name.')),
    max_completion_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Most tokens of an answer.')),
    stream_options: Type.Optional(
      nullable(
        Type.Object(
          { include_usage: Type.Optional(nullable(Type.Boolean(), 'Whether a frame before the last tells `usage`.')) },
          open,
        ),
        'Only with `stream`.',
      ),
    ),
  },
  { ...open, $id: 'ChatRequest', description: "OpenAI's chat request; every parameter is accepted and passed through." },
);

export const ChatCompletion = Type.Unsafe<Completion>(
  Type.Object(
    {
      id: text('Identifier of the answer.'),
      object: Type.Literal('chat.completion', { description: 'Constant.' }),
      created,
      model: routeName,
      choices: Type.Array(
        Type.Object(
          {
            index: Type.Integer({ description: 'Which of the `n` answers, from 0.' }),
            message: ref(ChatMessage),
            finish_reason: finishReason,
          },
          open,
        ),
        { description: 'The answers.' },
      ),
      usage: Type.Optional(ChatUsage),
      svc_run_id: Type.Optional(Type.String({ description: 'The run, where it was blocked, paused or denied.' })),
      svc_retry_at: Type.Optional(retryAt),
    },
    { ...open, $id: 'ChatCompletion', description: "OpenAI's chat completion." },
  ),
);

export const ChatCompletionChunk = Type.Object(
  {
    id: text('Identifier of the answer, the same in every frame.'),
    object: Type.Literal('chat.completion.chunk', { description: 'Constant.' }),
    created,
    model: routeName,
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Which of the `n` answers, from 0.' }),
          delta: Type.Object(
            {
              role: Type.Optional(text('`assistant`, in the first frame of an answer.')),
              content: Type.Optional(nullable(Type.String(), 'The next piece of text.')),
            },
            { ...open, description: 'What this frame adds to the message.' },
          ),
          finish_reason: finishReason,
        },
        open,
      ),
      { description: 'Pieces of the answers; empty in the frame that tells `usage`.' },
    ),
    svc_event: Type.Optional(
      Type.Enum(['stream_violation', 'late_violation', 'blocked', 'paused', 'denied'], {
        description:
          'What ended the answer: a guard, as it left (`stream_violation`) or after all of it had (`late_violation`); else it was stopped before any of it left.',
      }),
    ),
    usage: Type.Optional(nullable(ChatUsage, 'In the frame before the last, where `include_usage` asked for it.')),
    error: Type.Optional(
      Type.Object(OpenAiError.properties, { description: 'Why an answer that had begun breaks off, in its last frame.' }),
    ),
    svc_run_id: Type.Optional(Type.String({ description: 'The run, in the last frame.' })),
    svc_retry_at: Type.Optional(retryAt),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record, in the last frame.' })),
  },
  { ...open, $id: 'ChatCompletionChunk', description: 'A frame of a streamed answer; the last line is `data: [DONE]`.' },
);

export const Model = Type.Object(
  {
    id: routeName,
    object: Type.Literal('model', { description: 'Constant.' }),
    created,
    owned_by: Type.String({ description: "The route's owner, else `svc`." }),
  },
  { $id: 'Model', description: 'A route, as the models endpoint lists it.' },
);
export const ModelList = Type.Object(
  {
    object: Type.Literal('list', { description: 'Constant.' }),
    data: Type.Array(ref(Model), { description: 'The routes that the key may call.' }),
  },
  { $id: 'ModelList', description: 'One entry a route.' },
);

export const CreateRun = Type.Object(
  {
    route: Type.Optional(Type.String({ default: 'default', description: 'Name of the route.' })),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
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
    response: answerText,
    principal_id: asker,
    events,
  },
  { $id: 'CreatedRun', description: 'A run that was just made.' },
);
export const Run = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    status,
    approvers: Type.Array(Type.String(), { description: 'Who may decide; empty: anyone with a key.' }),
    events,
    config_digest: text('`sha256:` and hex of the configuration file when the run was made.'),
  },
  { $id: 'Run', description: 'A run and its history.' },
);
export const StoredRun = Type.Object(
  { ...Run.properties, created_at: Type.String({ format: 'date-time', description: 'When the run was made.' }) },
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
  { run_id: runId, status, response: answerText, events },
  { $id: 'DecidedRun', description: 'A run after a decision.' },
);
export const PendingRun = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    stage: text('`ingress`: the request waits; `egress`: the answer does.'),
    node: Type.String({ description: 'The guard that paused it.' }),
    code: Type.String({ description: 'Why, as the guard or its rule is called.' }),
    messages: Type.Array(ref(ChatMessage), { description: 'As edited by the guards so far.' }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What else the request asks for: tools, response_format and so on.',
    }),
    answer: nullable(ref(ChatCompletion), 'The held answer, where egress paused.'),
    digest: Type.String({ description: 'What a decision is bound to.' }),
    since: Type.String({ format: 'date-time', description: 'When it was paused.' }),
  },
  { $id: 'PendingRun', description: 'What an approver decides on. `answer` is the held answer where egress paused.' },
);
export const RunResponse = Type.Object(
  {
    run_id: runId,
    status,
    response: answerText,
    completion: nullable(ref(ChatCompletion), 'The whole answer; null where the run ended without one.'),
  },
  { $id: 'RunResponse', description: 'The answer of an ended run, while it is kept.' },
);
export const SentRequest = Type.Object(
  {
    run_id: runId,
    status,
    messages: nullable(
      Type.Array(ref(ChatMessage)),
      'As the guards left them; null where the model was not asked, or this was not kept.',
    ),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: "The request's other fields." }),
  },
  { $id: 'SentRequest', description: 'What the model of an ended run was sent, while it is kept.' },
);

export const RunList = Type.Object(
  { runs: Type.Array(ref(StoredRun), { description: 'A page of runs.' }) },
  { $id: 'RunList', description: 'Runs, newest first.' },
);
export const LedgerList = Type.Object(
  { records: Type.Array(Type.Union([ref(RunEvidence), ref(ModelInventory)]), { description: 'A page of records.' }) },
  { $id: 'LedgerList', description: 'Ledger records in order, as they were sealed.' },
);
export const InventoryList = Type.Object(
  { records: Type.Array(ref(ModelInventory), { description: 'A page of records.' }) },
  { $id: 'InventoryList', description: 'Inventory records in order, as they were sealed.' },
);
export const Report = Type.Object(
  {
    generated_at: Type.String({ format: 'date-time', description: 'When it was made.' }),
    inventory: Type.Array(ref(ModelInventory), { description: 'The records of the last start, one a route.' }),
    run_stats: Type.Record(Type.String(), Type.Integer(), { description: 'Number of runs by status.' }),
    chain_length: Type.Integer({ description: 'Records in the ledger.' }),
  },
  { $id: 'Report', description: 'A summary for auditors.' },
);

const treeHead = (description: string) =>
  Type.Object(
    {
      size: Type.Integer({ description: 'Number of records.' }),
      root: Type.String({ description: 'Root of their RFC 6962 tree, base64.' }),
    },
    { description },
  );
export const ConsistencyProof = Type.Object(
  {
    from: treeHead('The smaller tree.'),
    to: treeHead('The larger tree.'),
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
    name: text('Its key under `packs`.'),
    type: text('Type of the guard.'),
    package: text('Package that it comes from.'),
    version: text('Version of the package.'),
    mode: Type.String({ description: 'enforce or observe.' }),
    verdicts: Type.Array(Type.String(), { description: 'What it may answer beside allow.' }),
  },
  { $id: 'RouteNode', description: 'A guard of a pipeline.' },
);
const model = text('Upstream name of the model.');
export const Route = Type.Object(
  {
    name: routeName,
    owner: nullable(Type.String(), 'As configured.'),
    risk_rating: nullable(Type.String(), 'As configured.'),
    review_interval_days: nullable(Type.Integer(), 'As configured.'),
    residency: Type.Array(Type.String(), { description: 'Regions that its providers may be in; empty: any.' }),
    approvers: Type.Array(Type.String(), { description: 'Who may decide; empty: anyone with a key.' }),
    provider: Type.Object(
      {
        name: text('Its key under `providers`.'),
        type: text('Type of the provider.'),
        region: nullable(Type.String(), 'As configured.'),
        model,
      },
      { description: 'Who is asked first.' },
    ),
    fallbacks: Type.Array(Type.Object({ name: text('Its key under `providers`.'), model }), {
      description: 'Providers that are tried when the first fails.',
    }),
    pipeline: Type.Object(
      {
        ingress: Type.Array(ref(RouteNode), { description: 'They see the request.' }),
        egress: Type.Array(ref(RouteNode), { description: 'They see the answer.' }),
      },
      { description: 'Its guards, in order.' },
    ),
    streams: Type.Enum(['as-it-comes', 'when-judged'], {
      description: 'When a streamed answer leaves: as the model writes it, or after the guards have seen the whole.',
    }),
  },
  { $id: 'Route', description: "A route's attributes and nodes." },
);
export type Route = Static<typeof Route>;
export const RouteList = Type.Object(
  {
    routes: Type.Array(ref(Route), { description: 'In the order of the configuration.' }),
    caller: Type.Object(
      {
        principal_id: text('Who asked.'),
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
    config_digest: configDigest,
    config_path: text('The configuration file.'),
  },
  { $id: 'Health', description: 'Whether the gateway works, and with which configuration.' },
);
const metadata = Type.Record(Type.String(), Type.Unknown(), { description: 'Whatever belongs to the text.' });
const namespace = Type.String({
  pattern: NAMESPACE_PATTERN,
  description: '1 to 64 letters, digits or any of `. _ -`, the first a letter or digit.',
});
export const RagIndex = Type.Object(
  {
    namespace,
    documents: Type.Array(
      Type.Object(
        { text: Type.String({ minLength: 1, description: 'What is found by its meaning.' }), metadata: Type.Optional(metadata) },
        open,
      ),
      {
        description: 'All are indexed, or none. The same text with the same metadata is kept once.',
      },
    ),
  },
  { ...open, $id: 'RagIndex', description: 'Documents to index.' },
);
export const RagIndexed = Type.Object(
  { indexed: Type.Integer({ description: 'How many documents.' }), namespace },
  { $id: 'RagIndexed', description: 'What was indexed.' },
);
export const RagDelete = Type.Object(
  {
    namespace,
    ids: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 10_000,
      description: 'As queries answer them. Unknown ones are no fault.',
    }),
  },
  { ...open, $id: 'RagDelete', description: 'Documents to delete.' },
);
export const RagDeleted = Type.Object(
  { deleted: Type.Integer({ description: 'How many were there.' }), namespace },
  { $id: 'RagDeleted', description: 'What was deleted.' },
);
export const RagQuery = Type.Object(
  {
    namespace,
    query: Type.String({ minLength: 1, description: 'What the documents should be about.' }),
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
  {
    namespace,
    docs: Type.Array(Type.Object({ id: text('Identifier of the document.'), text: text('As it was indexed.'), metadata }), {
      description: 'The documents found.',
    }),
  },
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
  RagDelete,
  RagDeleted,
  RagQuery,
  RagFound,
];

export { ref };
