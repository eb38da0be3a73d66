import { randomUUID } from 'node:crypto';
import type { TestGateway } from '../harness/gateway.ts';
import { ask, type Seen } from './client.ts';
import { BODY_LIMIT_BYTES, EXPIRE_S, UNBUDGETED } from './config.ts';

/** What a request must get if nothing fails: an HTTP status, and in the body this text. */
export interface Kind {
  /** Requests of this kind in a hundred. */
  readonly share: number;
  readonly status: number;
  readonly has?: string;
  readonly send: (gateway: TestGateway, text: string, kept: Kept) => Promise<Seen>;
}

/** What later requests and the end refer to. */
export class Kept {
  /** Paused runs to decide, and when they paused, in milliseconds of the monotonic clock. */
  readonly paused: { readonly run: string; readonly at: number }[] = [];
  /** Background runs that were accepted, each with a receipt by its status. */
  readonly background: string[] = [];
  /** Ids of the runs that one idempotency key got, if they differ. */
  readonly twice: string[][] = [];
  answered: string | undefined;
  /** A caller may read its usage once at a time. */
  readsUsage = false;
}

/** Every hundredth text is large enough for a guard thread. */
const LARGE = 'Please summarise what Ann Lee (ann.lee@example.org) wrote about the delivery of the parcel last week. '.repeat(
  1_000,
);
const SESSIONS = 20;
const chat = (content: string, more: object = {}): object => ({
  model: 'default',
  messages: [{ role: 'user', content }],
  ...more,
});
const session = (text: string): Record<string, string> => ({ 'x-svc-session': `session-${text.length % SESSIONS}` });
const post = (path: string, body: (text: string) => object, headers = session): Kind['send'] => {
  return (gateway, text) => ask(gateway, path, { body: body(text), headers: headers(text) });
};
const get = (path: (kept: Kept) => string, principal = 'auditor'): Kind['send'] => {
  return (gateway, _, kept) => ask(gateway, path(kept), { method: 'GET', principal });
};
const CHAT = '/v1/chat/completions';
const message = (content: string, more: object = {}) => ({ ...chat(content, more), max_tokens: 300 });
const response = (input: string, more: object = {}) => ({ model: 'default', input, ...more });

export const KINDS = {
  chat: { share: 20, status: 200, send: post(CHAT, (text) => chat(text)) },
  'chat, streamed': { share: 16, status: 200, has: '[DONE]', send: post(CHAT, (text) => chat(text, { stream: true })) },
  messages: { share: 6, status: 200, send: post('/v1/messages', (text) => message(text)) },
  'messages, streamed': {
    share: 6,
    status: 200,
    has: 'message_stop',
    send: post('/v1/messages', (text) => message(text, { stream: true })),
  },
  responses: { share: 6, status: 200, send: post('/v1/responses', (text) => response(text)) },
  'responses, streamed': {
    share: 6,
    status: 200,
    has: 'response.completed',
    send: post('/v1/responses', (text) => response(text, { stream: true })),
  },
  embeddings: { share: 5, status: 200, send: post('/v1/embeddings', () => ({ model: 'vectors', input: 'A short text.' })) },
  'large body': { share: 1, status: 200, send: post(CHAT, (text) => ({ ...chat(`${text} ${LARGE}`), model: UNBUDGETED })) },
  'client leaves': {
    share: 5,
    status: 200,
    send: (gateway, text) => ask(gateway, CHAT, { body: chat(text, { stream: true }), headers: session(text), leaveAfter: 2 }),
  },
  blocked: { share: 3, status: 200, has: '"blocked"', send: post(CHAT, (text) => chat(`${text} About project phoenix.`)) },
  'pauses, decided': { share: 4, status: 200, has: '"paused"', send: pauseAnd(true) },
  'pauses, expires': { share: 1, status: 200, has: '"paused"', send: pauseAnd(false) },
  decision: { share: 6, status: 200, send: decide },
  background: { share: 3, status: 200, send: background },
  'repeated by key': { share: 3, status: 200, send: repeat },
  'invalid JSON': {
    share: 1,
    status: 400,
    has: 'SVC-REQ-',
    send: (gateway) => ask(gateway, CHAT, { body: '{"model": "default",' }),
  },
  'unknown route': { share: 1, status: 404, has: 'SVC-', send: post(CHAT, (text) => ({ ...chat(text), model: 'none' })) },
  'unknown key': {
    share: 1,
    status: 401,
    has: 'SVC-AUTH-',
    send: (gateway, text) => ask(gateway, CHAT, { principal: 'nobody', body: chat(text) }),
  },
  'body too large': { share: 0.5, status: 413, has: 'SVC-REQ-', send: post(CHAT, () => chat('x'.repeat(BODY_LIMIT_BYTES))) },
  'read runs': { share: 2, status: 200, send: get(() => '/v1/audit?limit=50') },
  'read ledger': { share: 2, status: 200, send: get(() => '/v1/audit/ledger?limit=50') },
  'read usage': { share: 0.5, status: 200, send: readUsage },
  'read run': { share: 1, status: 200, send: readRun },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

const runOf = ({ text, headers }: Seen): string | undefined =>
  headers.get('x-svc-run-id') ?? /"(?:svc_)?run_id":"([^"]+)"/.exec(text)?.[1];

function pauseAnd(isDecided: boolean): Kind['send'] {
  return async (gateway, text, kept) => {
    const seen = await ask(gateway, CHAT, { body: { ...chat(`${text} Make a wire transfer.`), model: 'approval' } });
    const run = runOf(seen);
    if (isDecided && run !== undefined && seen.text.includes('"paused"')) kept.paused.push({ run, at: performance.now() });
    return seen;
  };
}

/** Decides the oldest paused run, or lists them if there is none. Runs that may expire meanwhile are left to expire. */
async function decide(gateway: TestGateway, text: string, { paused }: Kept): Promise<Seen> {
  const waiting = paused.filter(({ at }) => performance.now() - at < (EXPIRE_S * 1_000) / 2);
  const next = waiting.shift();
  paused.splice(0, paused.length, ...waiting);
  if (next === undefined) return ask(gateway, '/v1/audit?status=paused', { method: 'GET', principal: 'bob' });
  const decision = text.length % 2 === 0 ? 'approved' : 'denied';
  return ask(gateway, `/v1/runs/${next.run}/resume`, { principal: 'bob', body: { decision } });
}

async function background(gateway: TestGateway, text: string, kept: Kept): Promise<Seen> {
  const body = { background: true, messages: [{ role: 'user', content: text }] };
  const seen = await ask(gateway, '/v1/runs', { body, headers: session(text) });
  const run = runOf(seen);
  if (seen.status === 200 && run !== undefined) kept.background.push(run);
  return seen;
}

/** Sends a run three times with one key, the second time while the first is in progress. */
async function repeat(gateway: TestGateway, text: string, { twice }: Kept): Promise<Seen> {
  const once = () => ask(gateway, '/v1/runs', { body: { messages: [{ role: 'user', content: text }] }, headers });
  const headers = { 'idempotency-key': randomUUID() };
  const first = await Promise.all([once(), once()]);
  const all = [...first, await once()];
  const runs = new Set(all.flatMap((seen) => (seen.status === 200 ? (runOf(seen) ?? []) : [])));
  if (runs.size > 1) twice.push([...runs]);
  return all.find(({ hung, status }) => hung || status !== 200) ?? first[0];
}

async function readRun(gateway: TestGateway, _: string, { answered }: Kept): Promise<Seen> {
  const path = answered === undefined ? '/v1/audit?limit=1' : `/v1/runs/${answered}/request`;
  return ask(gateway, path, { method: 'GET', principal: answered === undefined ? 'auditor' : 'app' });
}

async function readUsage(gateway: TestGateway, _: string, kept: Kept): Promise<Seen> {
  if (kept.readsUsage) return ask(gateway, '/v1/audit?limit=1', { method: 'GET', principal: 'auditor' });
  kept.readsUsage = true;
  const seen = await ask(gateway, '/v1/usage?group_by=route', { method: 'GET', principal: 'auditor' });
  kept.readsUsage = false;
  return seen;
}
