import { NodeSettings } from '@svc/contracts';
import { type Static, type TProperties, Type } from 'typebox';
import { DURATION_PATTERN } from './duration.ts';
import { closed, duration } from './schema-parts.ts';
import { ServerSchema } from './server-schema.ts';

// `title` says in words what fits, where a pattern decides; it is what a diagnostic prints. Fields with a default may be left out.

const TIMEOUT = { minimum: 1, maximum: 3_600_000 };
const PRINCIPAL = { pattern: '^[A-Za-z0-9._@:+-]{1,128}$', title: '1 to 128 letters, digits or any of . _ @ : + -' };
const NODE_NAME = { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', title: 'up to 64 letters, digits or any of . _ -' };
const ROUTE_NAME = { pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$', title: 'up to 128 letters, digits or any of . _ : / @ -' };

/** Of a key that names none. */
const DEFAULT_ROLES = ['call', 'approve', 'audit', 'rag'] as const;
const ROLES = [...DEFAULT_ROLES, 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const AuthKeySchema = closed(
  {
    principal_id: Type.String({
      ...PRINCIPAL,
      description: 'Who calls with this key. Several keys may name the same principal.',
    }),
    key_hash: Type.Optional(
      Type.String({
        pattern: '^sha256:[0-9a-f]{64}$',
        title: 'sha256: and 64 lower-case hex characters',
        description: 'SHA-256 of the whole key, as `svc keys new` prints it. Exactly one of key_hash and key.',
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description: 'The key itself, as a secret:// reference. Exactly one of key_hash and key.',
      }),
    ),
    routes: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: 'Routes that the key may use. Left out: all.' }),
    ),
    roles: Type.Array(Type.Enum([...ROLES]), {
      minItems: 1,
      uniqueItems: true,
      default: [...DEFAULT_ROLES],
      description:
        'What the key may be used for: `call` models, `approve` paused runs, read the `audit` endpoints, `rag`, and as `admin` erase the content of any run.',
    }),
  },
  { description: 'One API key.' },
);

export const ProviderSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'Which provider plugin: `echo`, `openai`, …' }),
    region: Type.Optional(
      Type.String({ minLength: 1, description: 'Where the endpoint runs. Without it no declared residency allows it.' }),
    ),
    developer: Type.Optional(
      Type.String({ minLength: 1, description: 'Who made the models, for the inventory. Left out: the type.' }),
    ),
    timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 300_000,
      description: 'Longest time for one answer that is not streamed, in milliseconds. A streamed one has the three below.',
    }),
    first_chunk_timeout_ms: Type.Optional(
      Type.Integer({
        ...TIMEOUT,
        description:
          'Longest time until the first piece of a streamed answer, in milliseconds: models think before it. Left out: as `timeout_ms`.',
      }),
    ),
    idle_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 60_000,
      description: 'Longest silence between two chunks of a streamed answer, in milliseconds.',
    }),
    stream_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 1_800_000,
      description:
        'Longest time for a whole streamed answer, in milliseconds: all waiting for the upstream together, not that for a slow reader.',
    }),
  },
  { additionalProperties: true, description: "A model provider. All other keys are the plugin's own." },
);

export const PackSchema = Type.Object(
  {
    type: Type.Optional(Type.String({ minLength: 1, description: 'Which guard plugin. Left out: the key of this section.' })),
    ...NodeSettings.properties,
  },
  {
    additionalProperties: true,
    description: "An enabled guard; its key is the name that pipelines use. All other keys are the plugin's own.",
  },
);

const stage = (description: string) => Type.Array(Type.String(), { uniqueItems: true, default: [], description });

export const RouteSchema = closed(
  {
    provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
    model: Type.String({ minLength: 1, description: "The provider's own name of the model." }),
    fallbacks: Type.Array(
      closed({
        provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
        model: Type.String({ minLength: 1, description: "The provider's own name of the model." }),
      }),
      {
        default: [],
        description: 'Tried in this order when the provider is busy (429), fails (5xx), cannot be reached or is late.',
      },
    ),
    owner: Type.Optional(Type.String({ minLength: 1, description: 'Who answers for the route, for the inventory.' })),
    risk_rating: Type.Optional(Type.String({ minLength: 1, description: 'Risk rating, for the inventory.' })),
    review_interval_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days from one review to the next.' }),
    ),
    residency: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Regions where the data may go. Left out: anywhere.',
      }),
    ),
    approvers: Type.Array(Type.String(PRINCIPAL), {
      uniqueItems: true,
      default: [],
      description:
        'Principals that may decide on a paused run, each with a key that has the role approve for the route. Empty: anyone with such a key.',
    }),
    approval_wait_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 0,
      description:
        'How long a chat request that pauses waits for the decision before it is answered with the pause, in milliseconds.',
    }),
    self_approval: Type.Boolean({ default: true, description: 'Whether who asked may also decide.' }),
    unscannable: Type.Enum(['pass', 'block', 'require_approval'], {
      default: 'pass',
      description: 'What parts that no guard can read (images, audio, files) lead to.',
    }),
    description: Type.Optional(Type.String({ description: 'What the route is for, for the inventory.' })),
    version: Type.Optional(Type.String({ minLength: 1, description: 'Version of the model or of its use, for the inventory.' })),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Where the model comes from, for the inventory. Left out: the provider's name and region.",
      }),
    ),
    last_review: Type.Optional(
      Type.String({
        format: 'date',
        title: 'a date such as 2026-01-31',
        description: 'Day of the most recent review, for the inventory.',
      }),
    ),
    approved_uses: Type.Record(Type.String(), Type.Unknown(), { default: {}, description: 'Approved uses, for the inventory.' }),
    limitations: Type.Array(Type.String(), { default: [], description: 'Known limitations, for the inventory.' }),
    data_sources: Type.Array(Type.String(), { default: [], description: 'Sources of data, for the inventory.' }),
    monitoring_status: Type.Optional(
      Type.String({ minLength: 1, description: 'How the model is monitored, for the inventory.' }),
    ),
    pipeline: closed(
      {
        ingress: stage('Packs that look at the request, in this order.'),
        egress: stage('Packs that look at the answer, in this order.'),
      },
      { default: {}, description: 'Which packs look at what passes.' },
    ),
  },
  { description: 'A route: what callers name as `model`.' },
);

export const ExporterSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'Which exporter plugin.' }),
    name: Type.Optional(
      Type.String({ ...NODE_NAME, description: 'Unique; how far the ledger was taken is kept under it. Left out: the type.' }),
    ),
    from: Type.Enum(['start', 'now'], {
      default: 'start',
      description: 'Where a new name begins: with the first record of the ledger, or with what comes from now on.',
    }),
  },
  { additionalProperties: true, description: 'A destination of every ledger record.' },
);

export const TracesSchema = closed(
  {
    endpoint: Type.String({
      pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
      title: 'an http or https address without a user, a query or a fragment, such as http://collector:4318/v1/traces',
      description: 'Where a collector takes traces by OTLP over HTTP (protobuf), the whole address.',
    }),
    headers: Type.Record(Type.String(), Type.String({ minLength: 1, description: 'What the header says.' }), {
      propertyNames: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$", title: 'the name of an HTTP header' }),
      default: {},
      description: 'Sent with every export; a value may be a secret:// reference.',
    }),
    sample_ratio: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'Share of runs to trace, where the caller has not decided it by its traceparent.',
    }),
  },
  { description: 'Spans of every run, for a collector. Left out: none are made.' },
);

export const LedgerSchema = closed(
  {
    origin: Type.Optional(
      Type.String({
        pattern: '^[^\\s+]{1,255}$',
        title: 'a name without spaces and plus signs, such as example.org/gateway',
        description:
          'Tells this ledger from others in every checkpoint. Left out: an id that the ledger was given when it was made.',
      }),
    ),
    signing_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description:
        'Ed25519 private keys in PEM, the newest first; all of them sign each checkpoint. Left out: one is made at the first start, in the folder of `store.content_key_file`.',
    }),
    guard_file: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Literal(false)], {
        title: 'a path, or false',
        description:
          'A file, best on another volume than the runs-db, that remembers the newest checkpoint: a ledger that is behind it or not the same is refused at start. Left out: runs-db.checkpoint in the folder of the content key, over PostgreSQL ledger.checkpoint. false: none.',
      }),
    ),
  },
  { default: {}, description: 'The evidence ledger and what is signed over it.' },
);

const RagPluginSchema = <T extends TProperties>(which: string, examples: string, more: T) =>
  Type.Object(
    { type: Type.String({ minLength: 1, description: `Which ${which} plugin: ${examples}.` }), ...more },
    { additionalProperties: true, description: "All other keys are the plugin's own." },
  );

export const RagSchema = closed(
  {
    vectors: RagPluginSchema('vectors', '`local`, `pgvector`', {}),
    embedder: RagPluginSchema('embedder', '`local`, `openai`', {
      region: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Where the embedder runs: it is sent what callers ask. Without it no declared residency allows it, unless it runs in the gateway itself, as `local` does.',
        }),
      ),
    }),
    index_pipeline: Type.Array(Type.String(), {
      uniqueItems: true,
      default: [],
      description: 'Packs that look at every document on its way into the index, in this order: what they sanitize is stored so.',
    }),
  },
  { description: 'Documents and retrieval. Left out: its endpoints answer 503.' },
);

export const StoreSchema = closed(
  {
    content_key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description:
          'What the content of runs is encrypted with, as a secret:// reference: 64 hex characters (`openssl rand -hex 32`). Left out: a key is made at the first start and kept in `content_key_file`, and `svc runs erase` reaches backups too.',
      }),
    ),
    older_content_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description: 'Content keys of before, which still decrypt, until everything is under the newest.',
    }),
    content_key_file: Type.String({
      minLength: 1,
      default: 'content.key',
      description:
        'Where the content key is kept that is made at the first start. What else the gateway makes for itself is kept in the same folder: the signing key and the newest checkpoint of its ledger. It must be in no backup of the runs-db.',
    }),
  },
  { default: {}, description: 'How the store keeps what runs need for a while: paused requests, kept and recorded answers.' },
);

/** Package name to `sha512-…` pin; see `pinOf`. */
export const AllowListSchema = Type.Record(
  Type.String(),
  Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$', title: 'sha512- and 88 base64 characters' }),
  {
    description:
      'Plugin packages from outside the gateway that may be loaded, each with the pin of its content. Left out: every direct dependency.',
  },
);

/** The whole configuration file, after its defaults are filled in. */
export const ConfigSchema = closed(
  {
    server: ServerSchema,
    auth: closed(
      { keys: Type.Array(AuthKeySchema, { default: [], description: 'API keys.' }) },
      { default: {}, description: 'Who may call.' },
    ),
    providers: Type.Record(Type.String(), ProviderSchema, {
      propertyNames: Type.String(NODE_NAME),
      description: 'Model providers by name.',
    }),
    packs: Type.Record(Type.String(), PackSchema, {
      propertyNames: Type.String(NODE_NAME),
      default: {},
      description: 'Enabled guards by name.',
    }),
    routes: Type.Record(Type.String(), RouteSchema, {
      propertyNames: Type.String(ROUTE_NAME),
      minProperties: 1,
      description: 'Routes by name.',
    }),
    approvals: closed(
      {
        expire_after: duration('How long a paused run waits for a decision; then it is denied.', '30d'),
        max_paused: Type.Integer({
          minimum: 1,
          default: 10_000,
          description: 'Most runs that wait for a decision at once. What would pause above it is refused with 429.',
        }),
        max_paused_per_principal: Type.Integer({
          minimum: 1,
          maximum: 10_000,
          default: 100,
          description: 'The same, of one principal.',
        }),
      },
      { default: {}, description: 'Paused runs.' },
    ),
    runs: closed(
      {
        result_ttl: duration('How long the answer of a background or approved run is kept for its caller.', '24h'),
        record_start: Type.Boolean({
          default: true,
          description:
            'Write the start of every run to disk before anything is sent to a model. `false`: a run that is answered whole is first written when it ends or pauses, so that a crash in between leaves no trace of it.',
        }),
      },
      { default: {}, description: 'Runs and their answers.' },
    ),
    retention: closed(
      {
        content: Type.Optional(
          Type.String({
            pattern: DURATION_PATTERN,
            title: 'a whole number with s, m, h or d, such as 30d',
            description:
              'Longest time that content is kept, from when its run was made: what record_content keeps, answers, and paused runs, which are then denied. Left out: recorded content until it is erased, the others as long as runs.result_ttl and approvals.expire_after say.',
          }),
        ),
      },
      { default: {}, description: 'What is deleted by age. Ledger and rows of runs stay.' },
    ),
    store: StoreSchema,
    ledger: LedgerSchema,
    exporters: Type.Array(ExporterSchema, { default: [], description: 'Destinations of every ledger record.' }),
    telemetry: closed(
      { traces: Type.Optional(TracesSchema) },
      { default: {}, description: 'What the gateway tells of its work beside `/metrics`.' },
    ),
    rag: Type.Optional(RagSchema),
    plugins: Type.Optional(AllowListSchema),
  },
  { title: 'svc.yaml', description: 'The configuration of one gateway.' },
);
export type Config = Static<typeof ConfigSchema>;
export type ServerConfig = Config['server'];
export type Route = Static<typeof RouteSchema>;
export type Pack = Static<typeof PackSchema>;
export type Traces = Static<typeof TracesSchema>;
