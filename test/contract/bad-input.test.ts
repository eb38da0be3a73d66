import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BODY_LIMIT,
  CALLER,
  CHAT,
  describeAftermath,
  IllTreated,
  MALFORMED,
  MESSAGES,
  NO_ROUTE,
  NOT_JSON,
  TOO_LARGE,
  UNAUTHENTICATED,
} from '../e2e/bad-input.ts';
import type { TestGateway } from '../harness/gateway.ts';

let treated: IllTreated;
let gateway: TestGateway;
beforeAll(async () => {
  treated = await IllTreated.start();
  gateway = treated.gateway;
});
afterAll(() => gateway.dispose());

describe('a body', () => {
  const broken: [string, string][] = [
    ['cut off', `{"model":"default","messages":[{"role":"user","content":"${CALLER}`],
    ['with a trailing comma', '{"model":"default",}'],
    ['with single quotes', `{'model':'${CALLER}'}`],
    ['with a comment', '{"model":"default"/* hello */}'],
    ['with something after it', `{"model":"default"} ${CALLER}`],
    ['NaN', '{"model":"default","messages":[],"seed":NaN}'],
    ['a bare word', CALLER],
    ['empty', ''],
    ['white space', ' \n '],
    ['an array', `[{"model":"${CALLER}"}]`],
    ['a string', `"${CALLER}"`],
    ['a number', '7'],
    ['true', 'true'],
    ['null', 'null'],
  ];
  it.each(
    ['/v1/chat/completions', '/v1/runs', '/v1/runs/x/resume'].flatMap((path) => broken.map(([what, body]) => [path, what, body])),
  )('for %s that is %s is 400', async (path = '', _what, body) =>
    treated.expectRefusal(await treated.send(path, body, { 'content-type': 'application/json' }), MALFORMED),
  );

  it.each([CHAT, '/v1/runs', '/v1/runs/x/resume'])('for %s that is absent is 400', async (path) =>
    treated.expectRefusal(await gateway.request('POST', path), MALFORMED),
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'rubbish',
    'text/json',
  ])('of type %s is 415', async (type) => {
    for (const path of [CHAT, '/v1/runs', '/v1/runs/x/resume'])
      treated.expectRefusal(
        await treated.send(path, JSON.stringify({ model: 'default', messages: MESSAGES }), { 'content-type': type }),
        NOT_JSON,
      );
  });

  it('of no type is 415', async () => {
    const response = await fetch(`${gateway.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key('alice')}` },
      body: new TextEncoder().encode(JSON.stringify({ messages: MESSAGES })),
    });
    const text = await response.text();
    treated.expectRefusal({ status: response.status, text, body: JSON.parse(text) }, NOT_JSON);
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON'])('of type %s is accepted', async (type) => {
    await treated.accepted(JSON.stringify({ model: 'default', messages: MESSAGES }), CHAT, { 'content-type': type });
  });

  it('larger than the limit is 413, with and without a length; one at the limit is read', async () => {
    const sized = (size: number): string => {
      const empty = JSON.stringify({ model: 'nope', messages: '' });
      return JSON.stringify({ model: 'nope', messages: 'x'.repeat(size - empty.length) });
    };
    treated.expectRefusal(await treated.send(CHAT, sized(BODY_LIMIT)), NO_ROUTE);
    treated.expectRefusal(await treated.send(CHAT, sized(BODY_LIMIT + 1)), TOO_LARGE);
    const response = await fetch(`${gateway.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
      body: new Blob([sized(BODY_LIMIT + 1)]).stream(),
      duplex: 'half',
    });
    const text = await response.text();
    treated.expectRefusal({ status: response.status, text, body: JSON.parse(text) }, TOO_LARGE);
  });

  it('that is too large and has no key gets 401 and is not read', async () => {
    const answer = await gateway.request('POST', CHAT, { principal: null, body: 'x'.repeat(BODY_LIMIT + 1) });
    treated.expectRefusal(answer, UNAUTHENTICATED);
  });
});

describe('JSON that could not be recorded', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const chat = (more: string): string => `{"model":"default","messages":${JSON.stringify(MESSAGES)},${more}}`;
  const messages = (json: string): string => `{"model":"default","messages":[{"role":"user",${json}}]}`;

  it.each([
    ['65 levels', chat(`"x":${nested(64)}`)],
    ['100,000 levels', chat(`"x":${nested(100_000)}`)],
    ['100,000 levels of objects', chat(`"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
    ['half a surrogate pair in a text', messages('"content":"a\\ud83d b"')],
    ['the other half', messages('"content":"a\\udc00"')],
    ['a swapped pair', messages('"content":"\\udc00\\ud800"')],
    ['half a pair in a key', chat('"\\ud83d":1')],
    ['half a pair in a nested key', chat('"metadata":{"a":[{"\\udfff":"x"}]}')],
    ['half a pair in the model', '{"model":"\\ud83d","messages":[]}'],
    ['1e999 in a known field', chat('"max_tokens":1e999')],
    ['1e999 in a field of any name', chat('"temperature":1e999')],
    ['-1e999, deep down', chat('"metadata":{"a":[-1e999]}')],
    ['__proto__ in the body', chat('"__proto__":{"stream":true}')],
    ['__proto__ in a message', messages(`"content":"x","__proto__":{"role":"${CALLER}"}`)],
    ['constructor.prototype', chat('"constructor":{"prototype":{"stream":true}}')],
  ])('is 400: %s', async (_what, body) => {
    treated.expectRefusal(await treated.send(CHAT, body), MALFORMED);
    treated.expectRefusal(await treated.send('/v1/runs', body), MALFORMED);
  });

  it.each([
    ['64 levels', chat(`"x":${nested(63)}`)],
    ['a whole surrogate pair', messages('"content":"\\ud83d\\ude00"')],
    ['a NUL character', messages('"content":"a\\u0000b"')],
    ['a plain key constructor', chat('"constructor":"x"')],
    ['a text __proto__', messages('"content":"__proto__"')],
    ['1e308', chat('"x":1e308')],
  ])('does not include %s', async (_what, body) => {
    await treated.accepted(body);
  });

  it('does not include duplicate keys: the last one counts, for guards and model alike', async () => {
    const say = (content: string): string => JSON.stringify([{ role: 'user', content }]);
    const twice = (first: string, last: string): string => `{"model":"default","messages":${say(first)},"messages":${say(last)}}`;
    const blocked = await treated.accepted(twice('hello', 'forbidden'));
    expect(blocked.body.choices[0].finish_reason).toBe('content_filter');
    const passed = await treated.accepted(twice('forbidden', 'hello'));
    expect(passed.body.choices[0].message.content).toContain('hello');
    treated.expectRefusal(await treated.send(CHAT, `{"model":"default","messages":${say('hello')},"model":"nope"}`), NO_ROUTE);
  });

  it('does not include 10,000 messages, all of which are checked', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `m ${i}` }));
    const { body } = await treated.accepted({ model: 'default', messages: [...many, { role: 'user', content: 'last' }] });
    expect(body.choices[0].finish_reason).toBe('stop');
    many[5000] = { role: 'user', content: 'forbidden' };
    const blocked = await treated.accepted({ model: 'default', messages: many });
    expect(blocked.body.choices[0].finish_reason).toBe('content_filter');
  });
});

/** One body a value: the field set to it. */
function each(field: string, values: readonly unknown[], put: (value: unknown) => unknown): [what: string, body: unknown][] {
  return values.map((value) => [`${field} ${JSON.stringify(value)}`, put(value)]);
}

describe('a chat field of the wrong type', () => {
  const chat = { model: 'default', messages: MESSAGES };
  const message = (fields: object) => ({ ...chat, messages: [{ role: 'user', content: 'x', ...fields }] });
  const badMessages = [undefined, null, {}, CALLER, 1, [], [null], [CALLER], [[]], [1], [{}], [{ content: 'x' }]];
  const badRoles = [undefined, 1, null, [], {}, 'tyrant', '', 'User', CALLER, '__proto__', 'constructor'];
  const wrong = [
    ...each('model', [undefined, 1, null, true, [CALLER], { a: CALLER }], (model) => ({ ...chat, model })),
    ...each('messages', badMessages, (messages) => ({ ...chat, messages })),
    ...each('role', badRoles, (role) => message({ role })),
    ...each('content', [1, true, { text: CALLER }, [1], [CALLER], [null], [[]]], (content) => message({ content })),
    ...each('tool_calls', ['x', {}, [1], ['x'], [null]], (tool_calls) => message({ role: 'assistant', tool_calls })),
    ...each('stream', ['yes', 'true', 1, 0, [], {}], (stream) => ({ ...chat, stream })),
    ...each('n', [0, -1, 1.5, 129, 1e300, '2', true, []], (n) => ({ ...chat, n })),
    ...each('max_tokens', [0, -5, 0.5, '100', true], (max_tokens) => ({ ...chat, max_tokens })),
    ...each('max_completion_tokens', [0, -5, 0.5, '100', {}], (max_completion_tokens) => ({ ...chat, max_completion_tokens })),
    ...each('stream_options', ['x', 1, [], { include_usage: 'yes' }, { include_usage: 1 }], (stream_options) => ({
      ...chat,
      stream_options,
    })),
  ];
  it.each(wrong)('is 400: %s', async (_what, body) => treated.expectRefusal(await treated.send(CHAT, body), MALFORMED));

  it.each(['stream', 'n', 'max_tokens', 'max_completion_tokens', 'stream_options'])('accepts null for %s', async (field) => {
    await treated.accepted({ ...chat, [field]: null });
  });
});

describe('a runs field of the wrong type', () => {
  const badMessages = [undefined, null, {}, CALLER, [], [CALLER], [{ role: CALLER, content: 'x' }]];
  const wrong = [
    ...each('route', [1, null, [], {}], (route) => ({ route, messages: MESSAGES })),
    ...each('messages', badMessages, (messages) => ({ messages })),
    ...each('approvers', ['bob', null, {}, [1], [null], [['bob']]], (approvers) => ({ messages: MESSAGES, approvers })),
    ...each('background', ['true', null, 1, []], (background) => ({ messages: MESSAGES, background })),
  ];
  it.each(wrong)('is 400: %s', async (_what, body) => treated.expectRefusal(await treated.send('/v1/runs', body), MALFORMED));

  it.each([undefined, null, 1, true, [], ['approved'], CALLER, 'APPROVED', 'approved ', ''])(
    'is 400: decision %j',
    async (decision) => {
      const { body } = await treated.accepted({ messages: [{ role: 'user', content: 'a wire transfer' }] }, '/v1/runs');
      treated.expectRefusal(await treated.send(`/v1/runs/${body.run_id}/resume`, { decision }), MALFORMED);
      expect((await gateway.get(`/v1/runs/${body.run_id}`)).body.status).toBe('paused');
    },
  );
});

describeAftermath(() => treated);
