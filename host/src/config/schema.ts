import { NodeSettings } from '@svc/contracts';
import { networkOptions } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';
import { AuthKeySchema } from './auth-key-schema.ts';
import { DELAY_PATTERN, DURATION_PATTERN } from './duration.ts';
import { LimitSchema } from './limit-schema.ts';
import { OidcIssuerSchema, SessionSchema } from './oidc-schema.ts';
import { PricesSchema } from './prices-schema.ts';
import { RagSchema } from './rag-schema.ts';
import { closed, duration, PRINCIPAL } from './schema-parts.ts';
import { ServerSchema } from './server-schema.ts';

// `title` says in words what a pattern allows, for diagnostics. Fields with a default may be omitted.

const TIMEOUT = { minimum: 1, maximum: 3_600_000 };
const NODE_NAME = { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', title: 'up to 64 letters, digits or any of . _ -' };
const ROUTE_NAME = {
  pattern: '^(?:[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}\\*?|\\*)$',
  title: 'up to 128 letters, digits or any of . _ : / @ -, at the end perhaps *',
};
const ASKED = 'Default, in a route whose name ends in `*`: the model that the caller asks for.';

export const ProviderSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'Which provider plugin: `echo`, `openai`, …' }),
    region: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Region of the endpoint. Without it, no route with a residency can use this provider.',
      }),
    ),
    developer: Type.Optional(
      Type.String({ minLength: 1, description: 'Developer of the models, for the inventory. Default: the type.' }),
    ),
    timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 300_000,
      description: 'Timeout for an answer that is not streamed, in milliseconds. Streams use the three timeouts below.',
    }),
    first_chunk_timeout_ms: Type.Optional(
      Type.Integer({
        ...TIMEOUT,
        description:
          'How long an upstream may be silent before the first piece of a streamed answer, in milliseconds. Every byte ends a silence, also a comment or a ping. Default: `timeout_ms`.',
      }),
    ),
    idle_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 60_000,
      description:
        'How long an upstream may be silent after the first piece of a streamed answer, in milliseconds. Every byte ends a silence.',
    }),
    stream_timeout_ms: Type.Integer({
      ...TIMEOUT,
      default: 1_800_000,
      description: 'Total timeout of a streamed answer, in milliseconds. Counts all time but that of a slow client.',
    }),
  },
  { additionalProperties: true, description: "A model provider. All other keys are the plugin's own." },
);

export const PackSchema = Type.Object(
  {
    type: Type.Optional(Type.String({ minLength: 1, description: 'Guard plugin. Default: the key of this section.' })),
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
    provider: Type.Optional(Type.String({ minLength: 1, description: 'Key of a provider. Not beside `endpoints`.' })),
    model: Type.Optional(
      Type.String({ minLength: 1, description: `The provider's own name of the model. Not beside \`endpoints\`. ${ASKED}` }),
    ),
    endpoints: Type.Optional(
      Type.Array(
        closed({
          provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
          model: Type.Optional(Type.String({ minLength: 1, description: `The provider's own name of the model. ${ASKED}` })),
          weight: Type.Number({
            exclusiveMinimum: 0,
            maximum: 1_000_000,
            default: 1,
            description: 'Its share of the runs, beside the weights of the others.',
          }),
        }),
        {
          minItems: 1,
          description:
            'In place of `provider` and `model`: the runs are shared out by weight. After a failure, the others are tried, then the `fallbacks`.',
        },
      ),
    ),
    affinity: Type.Enum(['cache', 'principal', 'none'], {
      default: 'cache',
      description:
        'Requests of one principal that name the same cache (`prompt_cache_key`, or a prefix with `cache_control`) go to the same of the `endpoints`, so that its vendor has it. `principal`: those that name none go where the others of their principal go. `none`: each run draws its own lot.',
    }),
    retries: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description:
        'How often a call is repeated at the same endpoint when it was refused as too many (429) or failed at no cost, after a growing pause of at most 10 s.',
    }),
    fallbacks: Type.Array(
      closed({
        provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
        model: Type.Optional(Type.String({ minLength: 1, description: `The provider's own name of the model. ${ASKED}` })),
      }),
      {
        default: [],
        description:
          "Tried in this order when no endpoint before may be called, or the provider is busy (429), fails (5xx), refuses the gateway's key, account or model (401 to 404), is unreachable, times out or answers what is no answer.",
      },
    ),
    owner: Type.Optional(Type.String({ minLength: 1, description: 'Owner of the route, for the inventory.' })),
    risk_rating: Type.Optional(Type.String({ minLength: 1, description: 'Risk rating, for the inventory.' })),
    review_interval_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days between reviews.' })),
    residency: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Regions where data may be sent. Default: any.',
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
      description: 'How long a paused chat request waits for a decision before the pause is returned, in milliseconds.',
    }),
    self_approval: Type.Boolean({ default: true, description: 'Whether the creator of a run may also approve it.' }),
    unscannable: Type.Enum(['pass', 'block', 'require_approval'], {
      default: 'pass',
      description: 'What happens to parts that no guard can read (images, audio, files).',
    }),
    embeddings: Type.Enum(['block', 'mask'], {
      default: 'block',
      description:
        'What a guard does that would mask text of `/v1/embeddings`. `mask` embeds the masked text, which then cannot be found by what was masked.',
    }),
    vendor_tools: Type.Array(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', title: 'the type of a tool, such as web_search' }),
      {
        uniqueItems: true,
        default: [],
        description:
          "Types of a vendor's own tools, such as `web_search`, that may be asked for; without a date, in all versions. Of those that run at the vendor, guards see what it tells of their calls, not the calls themselves. Others are taken out of requests, and named in `x-svc-unsupported`.",
      },
    ),
    stops: Type.Enum(['text', 'refusal', 'error'], {
      default: 'text',
      description:
        'How a client learns that a guard or an approver stopped its request: from a text instead of the answer, from a refusal of its API, or from an error. See [stops](http.md#stops).',
    }),
    description: Type.Optional(Type.String({ description: 'Purpose of the route, for the inventory.' })),
    version: Type.Optional(Type.String({ minLength: 1, description: 'Version of the model or of its use, for the inventory.' })),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Source of the model, for the inventory. Default: the provider's name and region.",
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
      { default: {}, description: 'Packs that check requests and answers.' },
    ),
  },
  {
    description:
      'A route: what callers name as `model`. One whose name ends in `*` is for every model that begins so; a route of just that name goes first, then the longest beginning.',
  },
);

export const ExporterSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'Which exporter plugin.' }),
    name: Type.Optional(
      Type.String({ ...NODE_NAME, description: 'Unique name, under which the export position is stored. Default: the type.' }),
    ),
    from: Type.Enum(['start', 'now'], {
      default: 'start',
      description: 'Where a new exporter starts: at the first record of the ledger, or at the next new one.',
    }),
  },
  { additionalProperties: true, description: 'A destination of every ledger record.' },
);

export const ProtocolSchema = Type.Object(
  { type: Type.String({ minLength: 1, description: 'Which protocol plugin: `gemini`, …' }) },
  {
    additionalProperties: true,
    description:
      "A protocol plugin. The gateway serves its paths, and providers may use it. All other keys are options of the plugin. OpenAI's and Anthropic's protocols are built in; do not list them.",
  },
);

export const TracesSchema = closed(
  {
    endpoint: Type.String({
      pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
      title: 'an http or https address without a user, a query or a fragment, such as http://collector:4318/v1/traces',
      description: 'Full URL of the OTLP/HTTP (protobuf) traces endpoint of the collector.',
    }),
    headers: Type.Record(Type.String(), Type.String({ minLength: 1, description: 'Value of the header.' }), {
      propertyNames: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$", title: 'the name of an HTTP header' }),
      default: {},
      description: 'Sent with every export; a value may be a secret:// reference.',
    }),
    sample_ratio: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'Share of runs to trace, unless the traceparent of the caller decides.',
    }),
    ...networkOptions,
  },
  { description: 'Sends the spans of every run to a collector. Without it, no spans are created.' },
);

export const LedgerSchema = closed(
  {
    origin: Type.Optional(
      Type.String({
        pattern: '^(?!.*/operations$)[^\\s+]{1,255}$',
        title: 'a name without spaces and plus signs that does not end in /operations, such as example.org/gateway',
        description:
          'Identifies this ledger in every checkpoint; with `/operations` behind it, the operations log. Default: the id that was generated with the ledger.',
      }),
    ),
    signing_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description:
        'Ed25519 private keys in PEM, newest first; all of them sign each checkpoint. Default: a key that is generated at the first start, in the folder of `store.content_key_file`.',
    }),
    pinned_checkpoint_file: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Literal(false)], {
        title: 'a path, or false',
        description:
          'A file, best on another volume than the runs-db, that stores the newest checkpoint: at start, a ledger that is older or different is refused. Default: runs-db.checkpoint in the folder of the content key, or ledger.checkpoint with PostgreSQL. false: none.',
      }),
    ),
  },
  { default: {}, description: 'The evidence ledger and its signatures.' },
);

export const StoreSchema = closed(
  {
    content_key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description:
          'Key that encrypts the content of runs, as a secret:// reference: 64 hex characters (`openssl rand -hex 32`). Default: a key that is generated at the first start and stored in `content_key_file`; `svc runs erase` then also makes content in backups unreadable.',
      }),
    ),
    older_content_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description: 'Previous content keys, which still decrypt until all content is re-encrypted under the newest.',
    }),
    content_key_file: Type.String({
      minLength: 1,
      default: 'content.key',
      description:
        'File of the content key that is generated at the first start. The same folder holds the generated signing key and the newest checkpoint of the ledger. The first erasure adds the folder `<file>.parts`, which is part of the key. Keep both out of backups of the runs-db.',
    }),
  },
  { default: {}, description: 'How the store keeps temporary content: paused requests, stored and recorded answers.' },
);

/** Package name to `sha512-…` pin; see `pinOf`. */
export const AllowListSchema = Type.Record(
  Type.String(),
  Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$', title: 'sha512- and 88 base64 characters' }),
  {
    description: 'Third-party plugin packages that may be loaded, each pinned to its content. Default: every direct dependency.',
  },
);

/** The whole configuration file, with defaults filled in. */
export const ConfigSchema = closed(
  {
    server: ServerSchema,
    auth: closed(
      {
        keys: Type.Array(AuthKeySchema, { default: [], description: 'API keys.' }),
        oidc: Type.Array(OidcIssuerSchema, {
          default: [],
          description: 'Issuers whose JSON Web Tokens are accepted beside keys.',
        }),
        session: SessionSchema,
      },
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
    prices: Type.Optional(PricesSchema),
    limits: Type.Array(LimitSchema, { default: [], description: 'Requests and tokens a minute, and requests at once.' }),
    approvals: closed(
      {
        expire_after: duration('How long a paused run waits for a decision; then it is denied.', '30d'),
        max_paused: Type.Integer({
          minimum: 1,
          default: 10_000,
          description: 'Maximum number of paused runs. Further runs that would pause are rejected with 429.',
        }),
        max_paused_per_principal: Type.Integer({
          minimum: 1,
          maximum: 10_000,
          default: 100,
          description: 'Maximum number of paused runs of one principal.',
        }),
        reuse_for: Type.Unsafe<string | 0>({
          type: ['string', 'integer'],
          pattern: DELAY_PATTERN,
          minimum: 0,
          maximum: 0,
          title: '0, or a whole number with s or m, such as 10m',
          default: '10m',
          description:
            'How long a decision also applies to the same request when it is sent again: after a denial it is denied, after an approval it is not paused by that guard, once for each decision. `0`: every repeated request is paused again.',
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
            'Write the start of every run to disk before the model call. `false`: a run that is not streamed is first written when it ends or pauses, so a crash before that leaves no trace of it.',
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
              'Maximum age of content, from the creation of its run: recorded content, answers, and paused runs, which are then denied. Default: recorded content is kept until it is erased, answers for runs.result_ttl and paused runs for approvals.expire_after.',
          }),
        ),
      },
      { default: {}, description: 'Deletion by age. The ledger and the rows of runs are never deleted.' },
    ),
    operations: closed(
      {
        two_person: Type.Boolean({
          default: false,
          description:
            'Whether letting more pass takes two operators: enabling again what was stopped, and disabling a guard. Stopping takes one.',
        }),
      },
      { default: {}, description: 'Changes while the gateway runs.' },
    ),
    store: StoreSchema,
    ledger: LedgerSchema,
    protocols: Type.Array(ProtocolSchema, { default: [], description: 'Client protocols beside those of OpenAI and Anthropic.' }),
    exporters: Type.Array(ExporterSchema, { default: [], description: 'Destinations of every ledger record.' }),
    telemetry: closed({ traces: Type.Optional(TracesSchema) }, { default: {}, description: 'Telemetry besides `/metrics`.' }),
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
