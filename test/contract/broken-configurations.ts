import type { JsonObject, JsonValue } from '@svc/contracts';

/** A valid configuration with a bit of everything. */
export const WELL: JsonObject = {
  server: { host: '127.0.0.1', port: 0 },
  auth: { keys: [{ principal_id: 'alice', key_hash: `sha256:${'a'.repeat(64)}` }] },
  providers: {
    local: { type: 'echo', region: 'eu' },
    paid: { type: 'openai', base_url: 'https://models.example/v1', api_key: 'secret://env/TOKEN#value', region: 'us' },
  },
  packs: {
    words: { type: 'rules', rules: [{ name: 'one', words: ['one'], verdict: 'block' }] },
    allowance: { type: 'budget', limits: [{ scope: 'principal', unit: 'requests', amount: 3, period: 'minute' }] },
    answers: { type: 'schema', schema: { type: 'object' } },
    personal: { type: 'pii' },
    found: { type: 'rag', namespace: 'notes' },
    asks: { type: 'webhook', url: 'https://policy.example/check', secret: 'secret://env/HOOK#value', verdicts: ['block'] },
  },
  routes: {
    default: {
      provider: 'local',
      model: 'echo-1',
      pipeline: { ingress: ['words', 'allowance'], egress: ['words', 'allowance'] },
    },
    other: { provider: 'paid', model: 'm', fallbacks: [{ provider: 'local', model: 'echo-1' }] },
  },
  exporters: [
    { type: 'jsonl', path: 'evidence.jsonl' },
    { type: 'webhook', url: 'https://sink.example/', secret: 'secret://env/HOOK#value' },
  ],
  rag: { vectors: { type: 'local' }, embedder: { type: 'local' } },
  telemetry: { traces: { endpoint: 'http://127.0.0.1:9/v1/traces' } },
};

export interface Broken {
  readonly why: string;
  readonly text: string;
}

/** The configuration with another value at a path such as `routes.default.provider`. Undefined removes it. */
function changed(path: string, value: JsonValue | undefined): string {
  const copy = structuredClone(WELL);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at: Record<string, unknown> = copy;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(copy);
}

const rule = (more: JsonObject): JsonObject => ({ type: 'rules', rules: [{ name: 'one', verdict: 'block', ...more }] });
const paid = (more: JsonObject): JsonObject => ({
  type: 'openai',
  base_url: 'https://models.example/v1',
  api_key: 'secret://env/TOKEN#value',
  ...more,
});
const hook = (more: JsonObject): JsonObject => ({
  type: 'webhook',
  url: 'https://policy.example/check',
  secret: 'secret://env/HOOK#value',
  verdicts: ['block'],
  ...more,
});
const sink = (more: JsonObject): JsonObject => ({
  type: 'webhook',
  url: 'https://sink.example/',
  secret: 'secret://env/HOOK#value',
  ...more,
});
const files = (...paths: string[]): JsonValue => paths.map((path, index) => ({ type: 'jsonl', name: `file-${index}`, path }));
const key = `sha256:${'a'.repeat(64)}`;
const limit = (more: JsonObject): JsonObject => ({
  type: 'budget',
  limits: [{ scope: 'principal', unit: 'requests', amount: 3, period: 'minute', ...more }],
});

const notices = (more: JsonObject): JsonObject => ({
  public_url: 'https://svc.example',
  targets: [{ name: 'chat', type: 'slack', on: ['paused'], url: 'https://hooks.example/', ...more }],
});
const mail = { name: 'mail', type: 'email', on: ['paused'], host: 'mail.example', from: 'a@b.example', to: ['c@b.example'] };

const CHANGES: readonly (readonly [path: string, value: JsonValue | undefined])[] = [
  // Form of the file.
  ['unknown', 1],
  ['providers', undefined],
  ['routes', undefined],
  ['routes', {}],
  ['routes', []],
  ['providers', []],
  ['packs', 'pii'],
  ['exporters', {}],
  ['server', 7],
  ['pipeline', { tool_call: ['words'] }],
  ['routes.default.pipeline.tool_result', ['words']],
  // Server and limits.
  ['server.port', 65_536],
  ['server.port', -1],
  ['server.port', '8000'],
  ['server.port', 80.5],
  ['server.host', ''],
  ['server.workers', 0],
  ['server.workers', 65],
  ['server.guard_threads', 0],
  ['server.body_limit_bytes', 10],
  ['server.body_limit_bytes', 1_000_000_000],
  ['server.max_bytes_in_flight', 1024],
  ['server.record_content', 'yes'],
  ['server.trust_proxy', 1],
  ['approvals.expire_after', '30'],
  ['approvals.expire_after', '0d'],
  ['runs.result_ttl', '1w'],
  ['retention.content', 'for ever'],
  ['auth.keys.0', { principal_id: 'alice' }],
  ['auth.keys.0', { principal_id: 'alice', key_hash: key, key: 'secret://env/TOKEN#value' }],
  ['auth.keys.0.key_hash', 'sha256:short'],
  ['auth.keys.0.principal_id', 'a b'],
  ['auth.keys.0.routes', ['nowhere']],
  ['auth.keys.0.routes', []],
  ['auth.keys.0.roles', ['root']],
  ['auth.keys.1', { principal_id: 'bob', key_hash: key }],
  ['auth.keys.0', { principal_id: 'alice', key: 'not-a-key' }],
  ['auth.keys.0', { principal_id: 'alice', key: 'secret://file/bad.json#key' }],
  ['routes.default.provider', 'nowhere'],
  ['routes.default.fallbacks', [{ provider: 'nowhere', model: 'm' }]],
  ['routes.default.pipeline.ingress', ['nowhere']],
  ['routes.default.pipeline.egress', ['words', 'words']],
  ['routes.default.pipeline.ingress', 'words'],
  ['rag.index_pipeline', ['nowhere']],
  ['providers.local.type', 'nowhere'],
  ['packs.words.type', 'nowhere'],
  ['exporters.0.type', 'nowhere'],
  ['rag.vectors.type', 'nowhere'],
  ['rag.embedder.type', 'nowhere'],
  ['routes.default.pipeline', { ingress: ['allowance'], egress: [] }],
  ['routes.default.pipeline', { ingress: [], egress: ['allowance'] }],
  ['routes.default.pipeline', { ingress: ['answers'], egress: [] }],
  ['routes.default.pipeline', { ingress: [], egress: ['found'] }],
  ['rag.index_pipeline', ['allowance']],
  ['rag.index_pipeline', ['answers']],
  ['rag.index_pipeline', ['found']],
  ['rag.namespaces', { notes: { routes: ['nowhere'] } }],
  ['rag.namespaces', { 'a/b': { routes: [] } }],
  ['rag.namespaces', { notes: {} }],
  ['auth.keys.0.rag', {}],
  ['auth.keys.0.rag', { namespaces: ['*'] }],
  ['auth.keys.0.rag', { namespaces: ['a*b'] }],
  ['auth.keys.0.rag', { namespaces: ['a', 'a'] }],
  ['routes.default.model', ''],
  ['routes.default.model', undefined],
  ['routes.a b', { provider: 'local', model: 'm' }],
  ['routes.default.approvers', ['a b']],
  ['routes.default.residency', []],
  ['routes.default.residency', ['mars']],
  ['routes.default.review_interval_days', 0],
  ['routes.default.last_review', '2026-02-30'],
  ['routes.default.last_review', '31.01.2026'],
  ['routes.default.owner', 'half a character: \ud83d'],
  ['routes.default.approved_uses', { '\udc00': 1 }],
  ['routes.default.approval_wait_ms', 3_600_001],
  ['routes.default.unscannable', 'maybe'],
  // Provider options, also next to a secret.
  ['providers.local.timeout_ms', 0],
  ['providers.local.idle_timeout_ms', 0],
  ['server.keep_alive_ms', 0],
  ['providers.local.unknown', 1],
  ['providers.paid', paid({ base_url: 'models.example' })],
  ['providers.paid', paid({ base_url: 'ftp://models.example' })],
  ['providers.paid', paid({ base_url: 'https://user:word@models.example/v1' })],
  ['providers.paid', paid({ base_url: 'https://models.example/v1?x=1' })],
  ['providers.paid', { type: 'openai', api_key: 'secret://env/TOKEN' }],
  ['providers.paid', { type: 'openai', api_key: 'secret://nowhere/TOKEN#value' }],
  ['providers.a b', { type: 'echo' }],
  // Guard options.
  ['packs.words', rule({ match: '(' })],
  ['packs.words', rule({ match: '(?<=a)b' })],
  ['packs.words', rule({ match: '(a)\\1' })],
  ['packs.words', rule({ words: [] })],
  ['packs.words', rule({})],
  ['packs.words', rule({ words: ['one'], verdict: 'perhaps' })],
  ['packs.words', { type: 'rules', rules: [] }],
  ['packs.words', { type: 'rules', stream: 'post', rules: [{ name: 'one', match: 'a', verdict: 'require_approval' }] }],
  ['packs.words.timeout_ms', 0],
  ['packs.words.on_error', 'ignore'],
  ['packs.words.mode', 'watch'],
  ['packs.words.scope', 'old'],
  ['packs.allowance', limit({ amount: 1.5 })],
  ['packs.allowance', limit({ unit: 'bananas' })],
  ['packs.allowance', { type: 'budget', limits: [] }],
  ['packs.allowance', limit({ unit: 'usd' })],
  ['packs.answers', { type: 'schema', schema: { type: 'nothing' } }],
  ['packs.answers', { type: 'schema', schema_file: 'nowhere.json' }],
  ['packs.answers', { type: 'schema', schema_file: 'list.json' }],
  ['packs.answers', { type: 'schema', schema: {}, schema_file: 'list.json' }],
  ['packs.personal', { type: 'pii', threshold: 2 }],
  ['packs.personal', { type: 'pii', entities: ['NOTHING'] }],
  ['packs.personal', { type: 'pii', recognizers: [{ entity: 'BADGE', pattern: '(' }] }],
  ['packs.found.namespace', '../notes'],
  ['packs.asks', hook({ url: 'http://policy.example/check' })],
  ['packs.asks', hook({ url: 'https://127.0.0.1/check' })],
  ['packs.asks', hook({ url: 'https://policy.example/#here' })],
  ['packs.asks', hook({ verdicts: ['perhaps'] })],
  ['packs.asks', hook({ unknown: 1 })],
  ['exporters', [sink({}), sink({})]],
  ['exporters.1', sink({ url: 'http://sink.example/' })],
  ['exporters.1', sink({ url: 'https://10.0.0.1/' })],
  ['exporters.1', sink({ batch: 0 })],
  ['exporters.0.path', ''],
  ['exporters.0.path', undefined],
  ['exporters', files('evidence.jsonl', 'evidence.jsonl')],
  ['exporters', files('evidence.jsonl', './there/../evidence.jsonl')],
  ['exporters', files('there/evidence.jsonl', 'link/evidence.jsonl')],
  ['exporters', files('list.json', 'hard.json')],
  ['exporters', files('nowhere.jsonl', 'dangling.jsonl')],
  ['exporters', files('evidence.jsonl', 'evidence.jsonl.checkpoint')],
  [
    'exporters',
    [
      { type: 'jsonl', name: 'both', path: 'evidence.jsonl', operations: true },
      { type: 'jsonl', name: 'other', path: 'evidence.jsonl.operations' },
    ],
  ],
  ['rag', null],
  ['rag.vectors', undefined],
  ['rag.embedder', {}],
  ['rag.unknown', 1],
  ['ledger.origin', 'with space'],
  ['ledger.origin', 'example.org/operations'],
  ['ledger.origin', `example.org/sessions/${'0'.repeat(64)}`],
  ['ledger.signing_keys', ['a key']],
  ['ledger.signing_keys', ['secret://file/bad.pem#pem']],
  ['ledger.pinned_checkpoint_file', 'nowhere/guard'],
  ['ledger.pinned_checkpoint_file', 'there'],
  ['ledger.pinned_checkpoint_file', ''],
  ['store.content_key', 'a key'],
  ['store.content_key', 'secret://file/bad.json#key'],
  ['store.content_key_file', ''],
  ['telemetry.traces.endpoint', 'collector:4318'],
  ['telemetry.traces.endpoint', 'http://[::g]/v1/traces'],
  ['telemetry.traces.endpoint', 'http://collector:99999/v1/traces'],
  ['telemetry.traces.headers', { 'x-tenant': 'two\nlines' }],
  ['telemetry.traces.headers', { 'a b': 'c' }],
  ['telemetry.traces.sample_ratio', 2],
  ['notices', {}],
  ['notices', notices({ type: 'slak' })],
  ['notices', notices({ host: 'mail.example' })],
  ['notices', notices({ url: 'http://hooks.example/' })],
  ['notices', notices({ routes: ['nowhere'] })],
  ['notices', notices({ type: 'webhook' })],
  ['notices', { public_url: 'https://svc.example', targets: [{ ...mail, tls: 'none', user: 'a', password: 'b' }] }],
  ['plugins', { '@svc/guard-pii': 'sha512-short' }],
];

const finding = (pipeline: JsonObject): JsonObject => ({ provider: 'local', model: 'm', pipeline });

const TEXTS: readonly Broken[] = [
  {
    why: 'retrieval without documents',
    text: JSON.stringify({ ...WELL, rag: undefined, routes: { a: finding({ ingress: ['found'] }) } }),
  },
  {
    why: 'retrieval from a namespace of other routes',
    text: JSON.stringify({
      ...WELL,
      rag: { ...Object(WELL.rag), namespaces: { notes: { routes: ['b'] } } },
      routes: { a: finding({ ingress: ['found'] }), b: finding({ ingress: ['found'] }) },
    }),
  },
  { why: 'an empty file', text: '' },
  { why: 'no map', text: '- one' },
  { why: 'half a map', text: '{ providers: ' },
  {
    why: 'a key twice',
    text: 'providers: { local: { type: echo } }\nproviders: {}\nroutes: { default: { provider: local, model: m } }',
  },
  { why: 'an unknown alias', text: 'providers: *nowhere' },
  { why: 'a tag', text: 'providers: !!binary aGVsbG8=' },
  { why: 'two documents', text: 'providers: {}\n---\nroutes: {}' },
  { why: 'infinity', text: 'server: { port: .inf }' },
];

/** Files that no server accepts, each for a different reason. */
export const BROKEN: readonly Broken[] = [
  ...TEXTS,
  ...CHANGES.map(([path, value]) => ({ why: `${path}: ${JSON.stringify(value)?.slice(0, 120)}`, text: changed(path, value) })),
];
