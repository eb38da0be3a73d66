import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { factsOf, SESSION_PLACES, USER_PLACES } from './client-facts.ts';

const ID = '01a21b5e-49ed-7923-9b01-afc6cc7d0987';
const CLAUDE = { device_id: '5daa7e0f', account_uuid: '', session_id: ID };
const withUserId = (user_id: unknown) => ({ metadata: { user_id } });

function read(headers: Record<string, string>, body: unknown = {}) {
  const server = { pseudonymOf: (principal_id: string, name: string) => `pseudonym of ${principal_id} ${name}` };
  return factsOf({ headers, body, server, principal: { principal_id: 'alice' }, facts: null } as unknown as FastifyRequest);
}

/** One session for each place, as clients send it. */
const SESSIONS: readonly [from: string, headers: Record<string, string>, body: object][] = [
  ['header x-svc-session', { 'x-svc-session': ID }, {}],
  // Claude Code 2.1.197.
  ['header x-claude-code-session-id', { 'x-claude-code-session-id': ID }, {}],
  // Codex 0.169.
  ['header session-id', { 'session-id': ID }, {}],
  ['body client_metadata.session_id', {}, { client_metadata: { session_id: ID, turn_id: 't' } }],
  ['body metadata.user_id (session)', {}, withUserId(JSON.stringify(CLAUDE))],
  ['baggage session.id', { baggage: `a=b, session.id = ${encodeURIComponent(ID)};p=1,c=d` }, {}],
];

describe('the session', () => {
  it('has a test for each source', () => {
    expect(SESSIONS.map(([from]) => from)).toEqual(SESSION_PLACES.map(({ from }) => from));
  });

  it.each(SESSIONS)('is read from %s', (_, headers, body) => {
    expect(read(headers, body).session).toBe(ID);
  });

  it('is taken from the first source that has one', () => {
    for (const [index] of SESSIONS.entries()) {
      const later = SESSIONS.slice(index).reverse();
      const all = later.map(([, headers, body]) => [JSON.parse(JSON.stringify(headers)), body] as const);
      const [first] = SESSIONS.slice(index, index + 1);
      const own = JSON.parse(JSON.stringify([first?.[1], first?.[2]]).replaceAll(ID, 'first'));
      const headers = Object.assign({}, ...all.map(([one]) => one), own[0]);
      expect(read(headers, Object.assign({}, ...all.map(([, body]) => body), own[1])).session).toBe('first');
    }
  });

  it('is taken from the id that Claude Code sent before 2.1', () => {
    const user_id = `user_5daa7e0f_account__session_${ID}`;
    expect(read({}, withUserId(user_id))).toMatchObject({ session: ID, user: 'pseudonym of alice 5daa7e0f' });
  });

  it.each(['', 'a b', 'x'.repeat(129), 'é', 'a\tb'])('refuses an invalid x-svc-session: %j', (value) => {
    expect(() => read({ 'x-svc-session': value })).toThrow('SVC-REQ-001');
  });

  it.each(['x'.repeat(129), 'a b', 'é', '\ud800'])('hashes a value that cannot be recorded unchanged: %j', (value) => {
    expect(read({}, { client_metadata: { session_id: value } }).session).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each([
    {},
    null,
    'text',
    { client_metadata: 'x', metadata: null },
    { client_metadata: { session_id: 7 } },
    withUserId('{"session_id":'),
    withUserId('{"session_id":{}}'),
    // A longer text is not parsed.
    withUserId(JSON.stringify({ session_id: ID, more: 'x'.repeat(3000) })),
    withUserId(7),
  ])('ignores other invalid values: %j', (body) => {
    expect(read({ baggage: 'session.id=%zz' }, body).session).toBeNull();
  });
});

/** One user for each place. */
const USERS: readonly [from: string, body: object, user: string][] = [
  ['body safety_identifier', { safety_identifier: 'u-1', user: 'u-2' }, 'u-1'],
  ['body user', { user: 'u-2', ...withUserId('u-3') }, 'u-2'],
  ['body metadata.user_id (account)', withUserId(JSON.stringify({ ...CLAUDE, account_uuid: 'acc' })), 'acc'],
];

describe('the user', () => {
  it('has a test for each source', () => {
    expect(USERS.map(([from]) => from)).toEqual(USER_PLACES.map(({ from }) => from));
  });

  it.each(USERS)('is the pseudonym of the user in %s', (_, body, user) => {
    expect(read({}, body).user).toBe(`pseudonym of alice ${user}`);
  });

  it.each([
    [withUserId(JSON.stringify(CLAUDE)), 'pseudonym of alice 5daa7e0f'],
    [withUserId('u-3'), 'pseudonym of alice u-3'],
    [withUserId('{}'), null],
    [{ user: '' }, null],
    [{ user: { name: 'u' } }, null],
  ])('%j', (body, user) => {
    expect(read({}, body).user).toBe(user);
  });
});

it.each([
  ['claude-cli/2.1.197 (external, sdk-cli)', 'claude-cli'],
  ['codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm', 'codex_exec'],
  ['OpenAI/JS 6.1.0', 'OpenAI/JS'],
  ['python-httpx/0.28.1', 'python-httpx'],
  ['node', 'node'],
  ['(nothing)', null],
  ['', null],
])('the client of %j is %j', (agent, client) => {
  expect(read({ 'user-agent': agent }).client).toBe(client);
});
