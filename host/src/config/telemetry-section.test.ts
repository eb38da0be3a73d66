import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { load, type TestOptions } from './test-config.ts';

afterEach(removeProjects);

async function loadTraces(traces: string, options: TestOptions = {}) {
  const { config, diagnostics } = await load(
    `
auth: { keys: [{ principal_id: alice, key_hash: "sha256:${'0'.repeat(64)}" }] }
providers: { eu: { type: parrot, region: eu, base_url: "https://example.org", api_key: "secret://env/API_KEY#value" } }
routes: { r: { provider: eu, model: m } }
${traces}
`,
    { ...options, env: { API_KEY: 'k', ...options.env } },
  );
  return { config, found: diagnostics.map(({ code, severity, path }) => `${code} ${severity} ${path}`) };
}

const withHeaders = (headers: string) =>
  `telemetry: { traces: { endpoint: "http://collector:4318/v1/traces", headers: ${headers} } }`;

describe('telemetry.logs', () => {
  it.each([
    ['', { level: 'info', format: 'auto' }],
    ['telemetry: { logs: { level: debug } }', { level: 'debug', format: 'auto' }],
    ['telemetry: { logs: { level: warn, format: pretty } }', { level: 'warn', format: 'pretty' }],
  ])('%j', async (text, logs) => expect((await loadTraces(text)).config?.logs).toEqual(logs));

  it.each([
    ['{ level: loud }', 'level'],
    ['{ format: xml }', 'format'],
    ['{ colour: red }', 'colour'],
  ])('refuses %s', async (logs, key) => {
    const { config, found } = await loadTraces(`telemetry: { logs: ${logs} }`);
    expect(config).toBeNull();
    expect(found).toEqual([`SVC-POL-001 error telemetry.logs.${key}`]);
  });
});

describe('telemetry.traces', () => {
  it.each(['', 'telemetry: {}'])('is off if omitted: %j', async (text) => {
    expect(await loadTraces(text)).toMatchObject({ config: { traces: null }, found: [] });
  });

  it('has its secrets where their references were', async () => {
    const headers = '{ authorization: "secret://env/TOKEN#value", x-scope-orgid: tenant-1 }';
    const { config, found } = await loadTraces(withHeaders(headers), { env: { TOKEN: 'Bearer abc' } });
    expect(found).toEqual([]);
    expect(config?.traces).toEqual({
      endpoint: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Bearer abc', 'x-scope-orgid': 'tenant-1' },
      sample_ratio: 1,
    });
  });

  it('needs no secrets for lint', async () => {
    const { config, found } = await loadTraces(withHeaders('{ authorization: "secret://env/TOKEN#value" }'), {
      resolveSecrets: false,
    });
    expect(found).toEqual([]);
    expect(config?.traces?.headers).toEqual({ authorization: 'secret://env/TOKEN#value' });
  });

  it.each([
    [
      withHeaders('{ authorization: "secret://env/TOKEN#value" }'),
      {},
      'SVC-POL-008 error telemetry.traces.headers.authorization',
    ],
    [withHeaders('{ authorization: "secret://env/TOKEN" }'), {}, 'SVC-POL-008 error telemetry.traces.headers.authorization'],
    [
      withHeaders('{ authorization: "secret://env/TOKEN#value" }'),
      { TOKEN: 'two\nlines' },
      'SVC-POL-001 error telemetry.traces.headers.authorization',
    ],
    ['telemetry: { traces: { endpoint: "collector:4318" } }', {}, 'SVC-POL-001 error telemetry.traces.endpoint'],
    ['telemetry: { traces: { endpoint: "http://me:pw@collector/" } }', {}, 'SVC-POL-001 error telemetry.traces.endpoint'],
    ['telemetry: { traces: { endpoint: "secret://env/TOKEN#value" } }', {}, 'SVC-POL-008 error telemetry.traces.endpoint'],
    ['telemetry: { traces: {} }', {}, 'SVC-POL-001 error telemetry.traces.endpoint'],
    ['telemetry: { traces: { endpoint: "http://c/", sample_ratio: 2 } }', {}, 'SVC-POL-001 error telemetry.traces.sample_ratio'],
  ] satisfies [string, Record<string, string>, string][])('refuses %s', async (text, env, finding) => {
    const { config, found } = await loadTraces(text, { env });
    expect(config).toBeNull();
    expect(found).toContain(finding);
  });

  it('warns about a secret in the file itself', async () => {
    const { config, found } = await loadTraces(withHeaders('{ x-api-key: abc }'));
    expect(config).not.toBeNull();
    expect(found).toEqual(['SVC-POL-008 warning telemetry.traces.headers.x-api-key']);
  });
});
