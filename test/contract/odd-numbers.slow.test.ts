import type { AnswerBody, Protocol } from '@svc/contracts';
import { anthropic, gemini, responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG, pick } from '../fault/form.ts';
import {
  answer,
  completionOf,
  embeddings,
  JSON_HEADERS,
  raw,
  SSE_HEADERS,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { RICH, type Rich } from './odd-bodies.ts';

/** A number that keeps its digits is an object without a text form, so `String` of it, or of a list of it, throws. */
const ODD = ['12345678901234567890', '[12345678901234567890]', '{"a":1e400}'];
const AT_ONCE = 16;
const DOORS = Object.entries(RICH) as [keyof typeof RICH, Rich][];

interface Case {
  readonly name: string;
  readonly text: string;
}

/** Bodies with each value replaced in turn. */
function oddForms(body: unknown, odd = ODD): Case[] {
  return [...pathsIn(body)].flatMap((path) => {
    const copy = structuredClone(body);
    const holder = path.slice(0, -1).reduce<unknown>((at, step) => Reflect.get(Object(at), step), copy);
    Reflect.set(Object(holder), path.at(-1) ?? '', '@odd');
    return odd.map((value) => ({
      name: `${path.join('.')} = ${value}`,
      text: JSON.stringify(copy).replace('"@odd"', value),
    }));
  });
}

/** Of the odd forms of each place, the short form of the test has one. Each turn has another one, and another seed begins with another one. */
function shareOf(cases: readonly Case[], turn: number): readonly Case[] {
  const first = pick('odd form', ODD.length) + turn;
  return LONG ? cases : cases.filter((_, at) => (Math.floor(at / ODD.length) + first) % ODD.length === at % ODD.length);
}

function* pathsIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* pathsIn(member, [...path, name]);
}

async function forAll<T>(cases: readonly Case[], ask: (one: Case) => Promise<T | null>): Promise<T[]> {
  const left = [...cases];
  const found: T[] = [];
  const work = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const wrong = await ask(one);
      if (wrong !== null) found.push(wrong);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** The body that the upstream answers with, by the number that the request names. */
const answers: { readonly text: string; readonly isStream: boolean }[] = [];
let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const [, at] = /case (\d+)\./.exec(JSON.stringify(request.body)) ?? [];
    const odd = answers[Number(at)];
    if (odd !== undefined) return raw(200, odd.isStream ? SSE_HEADERS : JSON_HEADERS, odd.text)(request, response);
    if (request.path.endsWith('/messages')) return anthropic.answer()(request, response);
    if (request.path.endsWith('/responses')) return responses.answer()(request, response);
    if (request.path.endsWith('/embeddings')) return embeddings()(request, response);
    if (request.path.includes('/models/')) return gemini.answer()(request, response);
    return answer(completionOf({ model: 'm-1' }, 'Done.'))(request, response);
  });
  const { origin } = new URL(upstream.url);
  const more = { vendor_tools: ['web_search', 'mcp', 'mcp_toolset', 'google_search'] };
  const route = (provider: string) => ({ provider, model: 'm-1', pipeline: { ingress: ['tools'], egress: ['tools'] }, ...more });
  const bare = (provider: string) => ({ provider, model: 'm-1', pipeline: {}, ...more });
  const names = ['chat', 'responses', 'messages', 'gemini'];
  gateway = await TestGateway.start({
    here: true,
    config: {
      protocols: [{ type: 'gemini' }],
      providers: {
        chat: { type: 'openai', base_url: upstream.url },
        responses: { type: 'openai', api: 'responses', base_url: upstream.url },
        messages: { type: 'anthropic', base_url: origin },
        gemini: { type: 'gemini', base_url: origin, api_key: 'k' },
        embeddings: { type: 'openai', base_url: upstream.url },
      },
      packs: { tools: { type: 'tools', rules: [{ name: 'all', tools: ['*'], action: 'allow' }] } },
      routes: {
        ...Object.fromEntries(
          names.flatMap((name) => [
            [name, route(name)],
            [`${name}-bare`, bare(name)],
          ]),
        ),
        embeddings: bare('embeddings'),
      },
    },
  });
});
afterAll(async () => {
  expect(gateway.output).not.toContain('"event":"guard_failed"');
  await gateway.dispose();
  await upstream.close();
});

async function post(path: string, text: string) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${gateway.key('alice')}` };
  const key = path.startsWith('/v1beta') ? { 'x-goog-api-key': gateway.key('alice') } : {};
  const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers, ...key }, body: text });
  return { status: response.status, text: await response.text() };
}

describe.each(DOORS)('an odd number anywhere in a request (%s)', (name, { path, request }) => {
  const routes = name === 'embeddings' ? [name] : [...new Set([name, 'chat', 'chat-bare'])];
  it.each(routes.map((route, turn) => [route, turn] as const))(
    'never causes an internal error (route %s)',
    async (route, turn) => {
      const cases = shareOf(oddForms({ model: route, ...request }), turn);
      const wrong = await forAll(cases, async (one) => {
        const { status, text } = await post(path(route, false), one.text);
        return status < 500 ? null : `${one.name}: ${status} ${text.slice(0, 120)}`;
      });
      expect(wrong).toEqual([]);
      expect((await post(path(route, false), JSON.stringify({ model: route, ...request }))).status).toBe(200);
    },
  );
});

const SPEAKERS = DOORS.flatMap(([name, { answer: own }]) => (own === null ? [] : [[name, own] as const]));
describe.each(SPEAKERS)('an odd number anywhere in an answer (%s)', (name, { protocol, body }) => {
  const doors = DOORS.filter(([door]) => door === name || door === 'chat' || (name === 'chat' && door !== 'embeddings'));
  const runs = doors.flatMap(([door, rich], turn) => [false, true].map((stream) => [door, stream, rich, turn] as const));

  it.each(runs)(
    'is passed on, or is a failure of the provider (requested as %s, streamed: %s)',
    async (_, isStream, { path, ask }, turn) => {
      let asOrdinary = 0;
      const cases = isStream ? streamsOf(protocol, body) : shareOf(oddForms(body), turn);
      const wrong = await forAll(cases, async (one) => {
        const at = answers.push({ text: one.text, isStream }) - 1;
        const asked = { model: name, ...(isStream && { stream: true }), ...ask(`case ${at}.`) };
        const { status, text } = await post(path(name, isStream), JSON.stringify(asked));
        if (status === 200) asOrdinary += 1;
        const isDocumented = status === 200 || (status >= 500 && text.includes('SVC-PROV-'));
        return isDocumented && !text.includes('SVC-INT') ? null : `${one.name}: ${status} ${text.slice(0, 200)}`;
      });
      expect(wrong).toEqual([]);
      expect(asOrdinary).toBeGreaterThan(cases.length / 10);
    },
  );
});

/** The frames of the answer as server-sent events, each value replaced in turn. */
function streamsOf({ frames }: Protocol, body: AnswerBody): Case[] {
  const all = [...frames.framesOf(structuredClone(body))];
  const events = all.map((frame) => eventOf(frame.type, JSON.stringify(frame)));
  return all.flatMap((frame, at) =>
    oddForms(frame, ODD.slice(0, 1)).map(({ name, text }) => ({
      name: `${at}.${name}`,
      text: `${events.with(at, eventOf(frame.type, text)).join('')}data: [DONE]\n\n`,
    })),
  );
}

function eventOf(type: unknown, text: string): string {
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${text}\n\n`;
}
