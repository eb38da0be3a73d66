import { EVIDENCE, INVENTORY, OPERATION } from './example-records.ts';

/** What an operation is sent and answers, by media type. */
export interface Example {
  readonly request?: unknown;
  readonly answer: Readonly<Record<string, unknown>>;
  /** Other answers in a form of their own, by status. */
  readonly others?: Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

const json = (value: unknown) => ({ 'application/json': value });
const MESSAGES = [{ role: 'user', content: 'Pay from account 1234-5678-9012.' }];
const ANSWER = 'I have paid from account <ACCOUNT>.';
const { run_id, principal_id, created_at, events } = EVIDENCE;
const route = EVIDENCE.model_id;
const config_digest = 'sha256:6bddeeee0dd2718ff868ad8daa94f64ddfa28c1dc147eb028e3c0ff0f0fe6ea2';
const config_path = '/etc/svc/svc.yaml';
const digest = 'sha256:24ab75387f96a0967757a4d917fe1c5aca56d981498da392e270fcf7e069eb7d';
const issuer = 'https://login.example.com';
const CSRF = 'wnu9Yg2NXr9fNuAMJONygn5YbebXNTXQ7EZREVV3TC8';
const ORIGIN = 'example.org/gateway';
const ROOTS = ['uxRR/UMCBp9wnu9Yg2NXr9fNuAMJONygn5YbebXNTXQ=', 'CJEZREVV3TC9V4g4zbKU4I3HkBxmdNa1g4J8DPIV0s8='] as const;
const checkpointOf = (origin: string) =>
  `${origin}\n2\n${ROOTS[1]}\n\n— ${ORIGIN} RjQOaAXfGF/xpFENNTax1Y666lpl/tiLaRIW7LPt07VvWCoIYdzGYTIWEvzZx5qJiqB/vB02HnAjinT396yBGfDhgAg=\n`;

const stopped = {
  kind: 'route',
  name: route,
  state: 'disabled',
  since: created_at,
  by: 'ada',
  reason: 'answers with names of customers',
  proposed: null,
};
const proposed = { ...stopped, proposed: { state: 'enabled', since: created_at, by: 'ada', reason: null } };
const completion = {
  id: `chatcmpl-${run_id}`,
  object: 'chat.completion',
  created: 1767603600,
  model: route,
  choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 },
};
const lastChunk = {
  id: `chatcmpl-${run_id}`,
  object: 'chat.completion.chunk',
  created: 1767603600,
  model: route,
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  svc_run_id: run_id,
  svc_evidence: `${EVIDENCE.seq} ${EVIDENCE.hash}`,
};
const response = {
  id: `resp_${run_id}`,
  object: 'response',
  created_at: 1767603600,
  status: 'completed',
  incomplete_details: null,
  error: null,
  model: route,
  output: [
    {
      id: `msg_${run_id}_0`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: ANSWER, annotations: [], logprobs: [] }],
    },
  ],
  usage: { input_tokens: 120, output_tokens: 40, total_tokens: 160 },
  svc_run_id: run_id,
  svc_evidence: `${EVIDENCE.seq} ${EVIDENCE.hash}`,
};
const message = {
  id: `msg_${run_id}`,
  type: 'message',
  role: 'assistant',
  model: route,
  content: [{ type: 'text', text: ANSWER, citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 120, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 40 },
  svc_run_id: run_id,
  svc_evidence: `${EVIDENCE.seq} ${EVIDENCE.hash}`,
};
const model = { id: route, object: 'model', created: 1767603600, owned_by: 'risk-team' };
const run = { run_id, route, principal_id, status: 'completed', approvers: ['bob'], events, config_digest };
const node = (name: string) => ({
  name,
  type: 'rules',
  package: '@svc/guard-rules',
  version: '2.0.0',
  mode: 'enforce',
  verdicts: ['sanitize'],
});
const KEY = `svc-${'0'.repeat(64)}`;
const key = {
  id: '6f1c8c34-0f0e-4f0c-8e2e-5a9d7f3c2b10',
  principal_id,
  roles: ['call'],
  routes: [route],
  rag: null,
  team: 'payments',
  created_at,
  created_by: 'ada',
  expires_at: '2026-12-31T00:00:00.000Z',
  revoked_at: null,
  rotated_from: null,
};
const document = { text: 'Transfers take one working day.', metadata: { source: 'handbook' } };
const page = { 'text/html': '<!doctype html><title>svc</title>' };

function proofsIn(origin: string): Example {
  return {
    answer: {
      'text/plain': `c2sp.org/tlog-proof@v1\nindex 1\n${ROOTS[0]}\n\n${checkpointOf(origin)}`,
      ...json({ from: { size: 1, root: ROOTS[0] }, to: { size: 2, root: ROOTS[1] }, path: [ROOTS[0]] }),
    },
  };
}

const textCompletion = {
  id: 'cmpl-01900000-0000-7000-8000-000000000001',
  object: 'text_completion',
  created: 1_795_000_000,
  model: route,
  choices: [{ index: 0, text: ' there was a gateway.', logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
};

export const EXAMPLES: Readonly<Record<string, Example>> = {
  createChatCompletion: {
    request: { model: route, messages: MESSAGES },
    answer: { ...json(completion), 'text/event-stream': lastChunk },
  },
  createCompletion: {
    request: { model: route, prompt: 'Once upon a time', max_tokens: 64 },
    answer: { ...json(textCompletion), 'text/event-stream': { ...textCompletion, usage: null } },
  },
  createResponse: {
    request: { model: route, instructions: 'Be brief.', input: 'Pay from account 1234-5678-9012.' },
    answer: { ...json(response), 'text/event-stream': { type: 'response.completed', sequence_number: 9, response } },
  },
  getResponse: { answer: json(response) },
  deleteResponse: { answer: json({ id: response.id, object: 'response', deleted: true }) },
  createMessage: {
    request: { model: route, max_tokens: 1024, messages: MESSAGES },
    answer: { ...json(message), 'text/event-stream': { type: 'message_stop' } },
  },
  countMessageTokens: { request: { model: route, messages: MESSAGES }, answer: json({ input_tokens: 24 }) },
  createEmbeddings: {
    request: { model: route, input: ['Transfers take one working day.'] },
    answer: json({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }],
      model: route,
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
  },
  listModels: { answer: json({ object: 'list', data: [model] }) },
  getModel: { answer: json(model) },
  createRun: {
    request: { route, messages: MESSAGES, approvers: ['bob'], background: false },
    answer: json({ run_id, status: 'completed', response: ANSWER, principal_id, events }),
  },
  getRun: { answer: json(run) },
  resumeRun: {
    request: { decision: 'approved', digest },
    answer: json({ run_id, status: 'completed', response: ANSWER, events }),
  },
  getPendingRun: {
    answer: json({
      run_id,
      route,
      principal_id,
      stage: 'ingress',
      node: 'payments',
      code: 'wire',
      protocol: 'openai.chat',
      messages: [{ role: 'user', content: 'Please make a wire transfer.' }],
      parameters: {},
      answer: null,
      digest,
      since: created_at,
      expires_at: '2026-02-04T09:00:00.000Z',
    }),
  },
  getRunResponse: { answer: json({ run_id, status: 'completed', response: ANSWER, protocol: 'openai.chat', completion }) },
  getRunRequest: {
    answer: json({
      run_id,
      status: 'completed',
      protocol: 'openai.chat',
      messages: [{ role: 'user', content: 'Pay from account <ACCOUNT>.' }],
      gone_run_id: null,
      parameters: {},
    }),
  },
  eraseRunContent: { answer: json({ run_id, status: 'completed', backups_unreadable: true }) },
  listRuns: { answer: json({ runs: [{ ...run, created_at }] }) },
  listLedgerRecords: { answer: json({ records: [INVENTORY, EVIDENCE] }) },
  listInventory: { answer: json({ records: [INVENTORY] }) },
  getReport: {
    answer: json({
      generated_at: EVIDENCE.completed_at,
      inventory: [INVENTORY],
      run_stats: { pending: 0, running: 0, paused: 0, completed: 1, blocked: 0, denied: 0, error: 0 },
      chain_length: 2,
    }),
  },
  getCheckpoint: { answer: { 'text/plain': checkpointOf(ORIGIN) } },
  getLedgerKeys: {
    answer: json({ origin: ORIGIN, verifier_keys: [`${ORIGIN}+46340e68+AeSy7biH54iSLSMx5iKE95qYDaWsG6afZnfSU10VtfWp`] }),
  },
  getProof: proofsIn(ORIGIN),
  listOperations: { answer: json({ records: [OPERATION] }) },
  getOperationsCheckpoint: { answer: { 'text/plain': checkpointOf(`${ORIGIN}/operations`) } },
  getOperationsProof: proofsIn(`${ORIGIN}/operations`),
  listRoutes: {
    answer: json({
      routes: [
        {
          name: route,
          owner: 'risk-team',
          risk_rating: 'medium',
          review_interval_days: 365,
          residency: ['us'],
          approvers: ['bob'],
          provider: { name: 'openai', type: 'openai', region: 'us', model: 'gpt-4o', weight: null },
          fallbacks: [],
          pipeline: { ingress: [node('accounts'), node('payments')], egress: [node('accounts')] },
          stops: 'text',
          streams: 'as-it-comes',
        },
      ],
      caller: { principal_id, roles: ['call'] },
    }),
  },
  indexDocuments: {
    request: { namespace: 'handbook', documents: [document] },
    answer: json({ indexed: 1, namespace: 'handbook' }),
  },
  deleteDocuments: {
    request: { namespace: 'handbook', ids: ['d1'] },
    answer: json({ deleted: 1, namespace: 'handbook' }),
  },
  eraseNamespace: { answer: json({ namespace: 'handbook', deleted: 1, backups_unreadable: true }) },
  queryDocuments: {
    request: { namespace: 'handbook', query: 'How long does a transfer take?', k: 1 },
    answer: json({ namespace: 'handbook', docs: [{ id: 'd1', ...document }] }),
  },
  listStates: { answer: json({ states: [stopped] }) },
  setState: {
    request: { state: 'disabled', reason: stopped.reason },
    answer: json(stopped),
    others: { 202: json(proposed) },
  },
  getConfiguration: { answer: json({ active_digest: config_digest, since: created_at, config_path }) },
  applyConfiguration: {
    request: { reason: 'a new route' },
    answer: json({
      active_digest: config_digest,
      previous_digest: `sha256:${'0'.repeat(64)}`,
      file_digest: config_digest,
      changes: [{ section: 'routes', name: route, change: 'added' }],
      warnings: [],
    }),
  },
  getUsage: {
    answer: json({
      since: created_at,
      until: null,
      group_by: 'team',
      prices: { catalogue: '@pydantic/genai-prices', version: '0.1.8' },
      groups: [
        { name: 'payments', runs: 1, input_tokens: 120, output_tokens: 40, usd: 0.0007, unpriced_runs: 0, partial_runs: 0 },
      ],
    }),
  },
  createKey: {
    request: { principal_id, roles: ['call'], routes: [route], team: 'payments', expires_at: '2026-12-31T00:00:00Z' },
    answer: json({ ...key, key: KEY }),
  },
  listKeys: { answer: json({ keys: [{ ...key, last_used_at: created_at }] }) },
  rotateKey: {
    request: { overlap_s: 3600, reason: 'every quarter' },
    answer: json({ ...key, id: 'd5c3a4f8-4a53-4fd5-9d0d-2b8a6f1f5c11', rotated_from: key.id, key: KEY }),
  },
  revokeKey: { answer: json({ ...key, revoked_at: created_at, last_used_at: null }) },
  getHealth: {
    answer: json({ status: 'ok', config_digest, config_path }),
    others: { 503: json({ status: 'unavailable', config_digest, config_path }) },
  },
  getLiveness: { answer: {} },
  getReadiness: { answer: {} },
  getOpenApi: { answer: json({ openapi: '3.1.0', info: { title: 'svc, the governed model gateway' }, paths: {} }) },
  getMetrics: { answer: { 'text/plain': 'svc_runs_total{route="chat",status="completed"} 1\n' } },
  getSession: {
    answer: json({ caller: { principal_id: 'ada', issuer, subject: 'ada' }, csrf: CSRF, issuers: [issuer] }),
  },
  signIn: { answer: {} },
  completeSignIn: { answer: {} },
  signOut: { answer: json({ end_session_url: `${issuer}/session/end?client_id=svc` }) },
  getApprovalsPage: { answer: page, others: { 401: page } },
  getShowcasePage: { answer: page, others: { 401: page } },
};

/** By name: a parameter means the same wherever it stands. */
export const PARAMETERS: Readonly<Record<string, unknown>> = {
  run_id,
  response_id: response.id,
  issuer,
  return: '/approvals',
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  state: 'af0ifjsldkj',
  error: 'access_denied',
  iss: issuer,
  kind: 'route',
  name: route,
  model: route,
  namespace: 'handbook',
  route,
  principal: principal_id,
  status: 'completed',
  since: created_at,
  until: '2026-12-01T00:00:00Z',
  since_seq: 0,
  limit: 100,
  after_id: route,
  before_id: route,
  cursor: '1',
  seq: EVIDENCE.seq,
  from: 1,
  to: 2,
  id: key.id,
  reason: 'the laptop was lost',
  group_by: 'team',
  'idempotency-key': 'invoice-4711',
  'x-svc-keep': 'request',
};
