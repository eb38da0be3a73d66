import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ERROR_CODES, type JsonObject } from '@svc/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

interface Media {
  readonly schema: JsonObject;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Described {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; description?: string; example?: unknown; schema: JsonObject }[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}
type Schema = JsonObject & { properties?: Record<string, Schema>; description?: string };

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Described>>;
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { description?: string; schema: JsonObject; example?: unknown }>>;
  };
}
const document = dereferenced(JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8')));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ ...document, $id: 'openapi' });

/** The document with shared responses and examples in the places that refer to them. */
function dereferenced(raw: Document): Document {
  const at = (value: unknown): unknown => {
    const [, kind, name = ''] = /^#\/components\/(responses|examples)\/(.+)$/.exec(String(Object(value).$ref)) ?? [];
    if (kind === 'responses' || kind === 'examples') return at(raw.components[kind][name]);
    if (Array.isArray(value)) return value.map(at);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, at(child)]));
  };
  return at(raw) as Document;
}

/** What a value is not as the schema wants it. */
function faults(schema: JsonObject, value: unknown): unknown[] {
  const { $ref } = schema;
  const validate = ajv.compile(typeof $ref === 'string' ? { $ref: `openapi${$ref}` } : absolute(schema));
  return validate(value) ? [] : (validate.errors ?? []);
}

function absolute(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
}

/** Paths of properties that say nothing of themselves, also where they stand in items and alternatives. */
function silent(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => silent(one, `${path}/${index}`));
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as Schema;
  const own = Object.entries(properties).filter(([, one]) => one.description === undefined && one.$ref === undefined);
  return [
    ...own.map(([name]) => `${path}.${name}`),
    ...Object.entries(properties).flatMap(([name, one]) => silent(one, `${path}.${name}`)),
    ...['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'].flatMap((key) => silent(rest[key], path)),
  ];
}

/** The properties, at any depth, of the type `null`. */
function onlyNull(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => onlyNull(item, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key !== 'properties') return onlyNull(member, at);
    return Object.entries(member as Record<string, Schema>).flatMap(([name, schema]) =>
      schema.type === 'null' ? [`${at}.${name}`] : onlyNull(schema, `${at}.${name}`),
    );
  });
}

describe('openapi.json for readers', () => {
  it('describes every schema and each of its properties', () => {
    const { schemas } = document.components;
    expect(Object.entries(schemas).flatMap(([name, schema]) => (schema.description === undefined ? [name] : []))).toEqual([]);
    expect(Object.entries(schemas).flatMap(([name, schema]) => silent(schema, name))).toEqual([]);
    expect(silent({ properties: { a: { items: { properties: { b: {} } }, description: 'A.' } } }, 'S')).toEqual(['S.a.b']);
  });

  it('has no property that can only be null, because OpenAPI Generator fails on it', () => {
    const { schemas } = document.components;
    expect(Object.entries(schemas).flatMap(([name, schema]) => onlyNull(schema, name))).toEqual([]);
    expect(onlyNull({ items: { properties: { a: { type: 'null' }, b: { anyOf: [{}, { type: 'null' }] } } } }, 'S')).toEqual([
      'S.a',
    ]);
  });

  it.each(operations)('$operationId describes its parameters and answers', ({ parameters = [], requestBody, responses }) => {
    for (const { name, description } of parameters) expect([name, description]).toEqual([name, expect.stringMatching(/\w/)]);
    const media = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}));
    expect(media.flatMap(({ schema }) => silent(schema, ''))).toEqual([]);
    for (const [status, { description }] of Object.entries(responses)) {
      expect([status, description]).toEqual([status, expect.stringMatching(/\w/)]);
      // What the form of the body says is nothing about this status.
      expect(description).not.toBe(document.components.schemas.ErrorBody?.description);
    }
  });

  it.each(operations)('$operationId has examples, and they fit', ({ parameters = [], requestBody, responses }) => {
    for (const { schema, example } of parameters) expect(faults(schema, example)).toEqual([]);
    const media = Object.entries({ request: requestBody, ...responses })
      .filter(([status]) => status !== 'default')
      .flatMap(([status, one]) => Object.entries(one?.content ?? {}).map(([type, it]) => ({ status, type, ...it })));
    expect(media.length).toBeGreaterThan(0);
    for (const { status, type, schema, example, examples } of media) {
      const values = example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
      expect(values.length, `${status} ${type} has no example`).toBeGreaterThan(0);
      expect(values.flatMap((value) => faults(schema, value))).toEqual([]);
    }
  });

  it('describes headers, with examples that fit', () => {
    const headers = Object.entries(document.components.headers);
    const used = operations.flatMap(({ responses }) => Object.values(responses).flatMap((one) => Object.keys(one.headers ?? {})));
    expect([...new Set(used)].sort()).toEqual(headers.map(([name]) => name).sort());
    for (const [name, { description, schema, example }] of headers) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\w/)]);
      expect(faults(schema, example)).toEqual([]);
    }
  });

  it('lists for each code the operations that return it', () => {
    const told = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {})),
    );
    const coded = Object.entries(ERROR_CODES).filter(
      ([code, { status }]) => status !== null && !WITHOUT_OPERATION.includes(code),
    );
    expect(coded.map(([code]) => code).filter((code) => !told.includes(code))).toEqual([]);
  });
});

/** No operation lists them: unknown paths, and requests to change to another protocol. */
const WITHOUT_OPERATION = ['SVC-REQ-003', 'SVC-REQ-007'];

describe("the server's answers match the description", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        routes: { gone: { provider: 'nobody', model: 'm' } },
        providers: { nobody: NOBODY },
        rag: { vectors: { type: 'local' }, embedder: { type: 'local' } },
      }),
      principals: [{ principal_id: 'alice' }, { principal_id: 'reader', roles: ['audit'] }],
      args: ['--demo'],
    });
  });
  afterAll(() => gateway.dispose());

  /** Asks, and holds status, headers and body to what is said of the operation. */
  async function asks(method: string, path: string, template: string, options: AskOptions = {}): Promise<Answer> {
    const { status = 200, body, principal = 'alice', headers = {} } = options;
    const operation = document.paths[template]?.[method];
    const answer = await gateway.request(method.toUpperCase(), path, { principal, body, headers });
    expect(answer.status, answer.text).toBe(status);
    const described = operation?.responses[status];
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    const media = described?.content?.[type];
    expect(media, `${template} does not tell of ${status} ${type}`).toBeDefined();
    if (media !== undefined && type === 'application/json') expect(faults(media.schema, answer.body)).toEqual([]);
    const own = [...answer.headers.keys()].filter((name) => !OF_HTTP.includes(name));
    expect(own.filter((name) => described?.headers?.[name] === undefined)).toEqual([]);
    for (const name of own) {
      const { schema = {} } = document.components.headers[name] ?? {};
      const value = answer.headers.get(name);
      expect(faults(schema, schema.type === 'integer' ? Number(value) : value)).toEqual([]);
    }
    return answer;
  }

  const messages = (content: string) => [{ role: 'user', content }];
  const chat = (content: string, more: object = {}) => ({ body: { model: 'default', messages: messages(content), ...more } });

  it('chat: answered, blocked, and each refusal', async () => {
    const path = '/v1/chat/completions';
    const ask = (options: AskOptions) => asks('post', path, path, options);
    expect((await ask(chat('hello'))).headers.get('x-svc-evidence')).toMatch(/^\d+ sha256:/);
    await ask(chat('a forbidden thing'));
    await ask({ status: 400, body: { model: 'default', messages: [] } });
    await ask({ status: 401, principal: null, ...chat('hello') });
    await ask({ status: 403, principal: 'reader', ...chat('hello') });
    await ask({ status: 404, ...chat('hello', { model: 'nowhere' }) });
    await ask({ status: 413, body: ' '.repeat(40_000_000) });
    await ask({ status: 415, body: 'hello', headers: { 'content-type': 'text/plain' } });
    await ask({ status: 502, ...chat('hello', { model: 'gone' }) });
  });

  it('chat: each frame of a stream', async () => {
    const path = '/v1/chat/completions';
    for (const content of ['hello', 'a forbidden thing']) {
      const { text } = await asks('post', path, path, chat(content, { stream: true }));
      const frames = text.match(/^data: \{.*$/gm) ?? [];
      expect(frames.length).toBeGreaterThan(0);
      const { schema = {} } = document.paths[path]?.post?.responses[200]?.content?.['text/event-stream'] ?? {};
      for (const frame of frames) expect(faults(schema, JSON.parse(frame.slice('data: '.length)))).toEqual([]);
    }
  });

  it('runs: created, paused, decided, fetched, and requests that are too early or too late', async () => {
    const made = await asks('post', '/v1/runs', '/v1/runs', { body: { messages: messages('a wire transfer') } });
    const run = `/v1/runs/${made.body.run_id}`;
    const decide = { body: { decision: 'approved' } };
    await asks('get', run, '/v1/runs/{run_id}');
    await asks('get', `${run}/pending`, '/v1/runs/{run_id}/pending');
    await asks('get', `${run}/response`, '/v1/runs/{run_id}/response', { status: 409 });
    await asks('post', `${run}/resume`, '/v1/runs/{run_id}/resume', { status: 400, body: {} });
    // This gateway has no passkeys.
    const passkey = { ticket: 'any', credential: { id: 'AA', rawId: 'AA', type: 'public-key', response: {} } };
    for (const [path, body] of [
      ['resume', { ...decide.body, passkey }],
      ['statement', decide.body],
    ] as const) {
      const template = `/v1/runs/{run_id}/${path}`;
      const { body: error } = await asks('post', `${run}/${path}`, template, { status: 404, body });
      expect(error.code).toBe('SVC-REQ-003');
      const examples = document.paths[template]?.post?.responses[404]?.content?.['application/json']?.examples;
      expect(Object.keys(examples ?? {})).toContain(error.code);
    }
    await asks('post', `${run}/resume`, '/v1/runs/{run_id}/resume', decide);
    await asks('post', `${run}/resume`, '/v1/runs/{run_id}/resume', { status: 409, ...decide });
    await asks('get', `${run}/response`, '/v1/runs/{run_id}/response');
    await asks('get', `${run}/request`, '/v1/runs/{run_id}/request');
    await asks('delete', `${run}/content`, '/v1/runs/{run_id}/content');
    await asks('get', `${run}0`, '/v1/runs/{run_id}', { status: 404 });
    await asks('post', '/v1/runs', '/v1/runs', { status: 404, body: { route: 'nowhere', messages: messages('hello') } });
  });

  it('all that is read', async () => {
    await asks('post', '/v1/runs', '/v1/runs', { body: { messages: messages('hello') } });
    for (const path of ['/v1/audit', '/v1/audit/ledger', '/v1/audit/inventory']) {
      const { headers } = await asks('get', `${path}?limit=1`, path);
      expect(headers.get('link')).toMatch(/rel="next"/);
      await asks('get', `${path}?limit=0`, path, { status: 400 });
    }
    const rest = ['audit/report', 'audit/ledger/checkpoint', 'audit/ledger/keys', 'models', 'routes', 'health'];
    for (const path of rest) await asks('get', `/v1/${path}`, `/v1/${path}`);
    for (const query of ['seq=1', 'from=1&to=2']) await asks('get', `/v1/audit/ledger/proof?${query}`, '/v1/audit/ledger/proof');
    await asks('get', '/v1/models/default', '/v1/models/{model}');
    for (const path of ['/approvals', '/runs', '/showcase', '/usage']) {
      await asks('get', path, path);
      await asks('get', path, path, { status: 401, principal: null });
      await asks('get', path, path, { status: 401, principal: null, headers: { accept: 'text/html' } });
    }
    await asks('get', '/metrics', '/metrics', { principal: null });
  });

  it('retrieval: index, query, refusal', async () => {
    const documents = [{ text: 'Transfers take one working day.', metadata: { source: 'handbook' } }];
    await asks('post', '/v1/rag/index', '/v1/rag/index', { body: { namespace: 'handbook', documents } });
    const query = { namespace: 'handbook', query: 'How long do transfers take?' };
    expect((await asks('post', '/v1/rag/query', '/v1/rag/query', { body: query })).body.docs).toHaveLength(1);
    await asks('post', '/v1/rag/query', '/v1/rag/query', { status: 400, body: { ...query, k: 0 } });
    await asks('post', '/v1/rag/query', '/v1/rag/query', { status: 403, principal: 'reader', body: query });
    const erase = '/v1/rag/namespaces/{namespace}';
    await asks('delete', '/v1/rag/namespaces/handbook', erase);
    await asks('delete', '/v1/rag/namespaces/.hidden', erase, { status: 400 });
    await asks('delete', '/v1/rag/namespaces/handbook', erase, { status: 403, principal: 'reader' });
  });

  it('/metrics requires no key, and refuses a request without Host', async () => {
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /metrics HTTP/1.1\r\n\r\n'));
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    const { schema = {} } = document.paths['/metrics']?.get?.responses[400]?.content?.['application/json'] ?? {};
    expect(faults(schema, JSON.parse(body))).toEqual([]);
  });

  it('a visitor of a demo gets the quota, and an error when it is used up', async () => {
    const path = '/v1/models/default';
    const { headers } = await asks('post', '/v1/runs', '/v1/runs', { body: { messages: messages('hello') } });
    let left = Number(headers.get('ratelimit-remaining'));
    expect(left).toBeGreaterThan(0);
    // Refused ones count too.
    for (; left > 0; left -= 1) await asks('post', '/v1/runs', '/v1/runs', { status: 400, body: {} });
    await asks('post', '/v1/runs', '/v1/runs', { status: 429, body: {} });
    await asks('get', path, '/v1/models/{model}');
  });
});

interface AskOptions {
  readonly status?: number;
  readonly body?: unknown;
  readonly principal?: string | null;
  readonly headers?: Record<string, string>;
}

/** Nothing listens there. */
const NOBODY = { type: 'openai', base_url: 'http://127.0.0.1:9/v1' };

/** Defined by HTTP, or the same in every response. */
const OF_HTTP = [
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'x-accel-buffering',
  'x-content-type-options',
];
