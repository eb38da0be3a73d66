import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const committed = readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8');

it('openapi.json is up to date (otherwise: npm run openapi)', () => {
  const printed = execFileSync(process.execPath, [MAIN, 'openapi'], { encoding: 'utf8', maxBuffer: 8 * 1024 * 1024 });
  expect(JSON.parse(committed)).toEqual(JSON.parse(printed));
  expect(committed).toBe(printed);
});

it('is served to every key, without indentation', async () => {
  const gateway = await TestGateway.start({ here: true, config: echoConfig() });
  try {
    const { status, headers, text } = await gateway.get('/v1/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(text).toBe(JSON.stringify(JSON.parse(committed)));
    expect((await gateway.get('/v1/openapi.json', null)).status).toBe(401);
  } finally {
    await gateway.dispose();
  }
});

it('has each error that several operations share once, and at most this many bytes', () => {
  const document: OpenApi & { components: { responses: object } } = JSON.parse(committed);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => (status < '400' ? [] : [JSON.stringify(response)])),
  );
  const written = errors.filter((text) => !text.startsWith('{"$ref"'));
  expect(written.length).toBeGreaterThan(0);
  expect(new Set(written).size).toBe(written.length);
  const referred = new Set(errors.filter((text) => !written.includes(text)).map((text) => JSON.parse(text).$ref));
  const shared = Object.keys(document.components.responses).map((name) => `#/components/responses/${name}`);
  expect([...referred].sort()).toEqual(shared.sort());
  // It was 658,586 when each operation had its own errors.
  expect(JSON.stringify(document).length).toBeLessThan(450_000);
});

it('declares no default for optional fields: type generators would make them required', () => {
  const { components }: { components: { schemas: object } } = JSON.parse(committed);
  expect(JSON.stringify(components.schemas)).not.toContain('"default":');
});

it('describes every endpoint of the specification once, with a name', () => {
  const { openapi, info, paths }: OpenApi = JSON.parse(committed);
  expect(openapi).toMatch(/^3\.1\./);
  expect(info.version).toMatch(/^\d+\.\d+\.\d+(a|b|rc)?\d*$/);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(operations).toEqual(expect.arrayContaining(ENDPOINTS));
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(operations.length);
});

const ENDPOINTS = [
  'post /v1/chat/completions',
  'get /v1/models',
  'post /v1/runs',
  'get /v1/runs/{run_id}',
  'post /v1/runs/{run_id}/resume',
  'get /v1/audit',
  'get /v1/audit/ledger',
  'get /v1/audit/inventory',
  'get /v1/audit/report',
  'post /v1/rag/index',
  'post /v1/rag/query',
  'get /v1/health',
  'get /v1/openapi.json',
  'get /metrics',
  'get /livez',
  'get /readyz',
  'get /approvals',
  'get /showcase',
];

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
}
