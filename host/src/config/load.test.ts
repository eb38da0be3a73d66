import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { closeInstances } from './close-instances.ts';
import { formatDiagnostic } from './diagnostic.ts';
import { brief, load } from './test-config.ts';

afterEach(removeProjects);

const KEY = `svc-${'0a'.repeat(32)}`;
const HASH = createHash('sha256').update(KEY).digest('hex');
const ROUTE = 'routes: { default: { provider: parrot, model: m } }\n';
const AUTH = `auth: { keys: [{ principal_id: alice, key_hash: "sha256:${HASH}" }] }\n`;
const _GOOD = `${AUTH}providers: { parrot: { type: parrot } }\n${ROUTE}`;

describe('loadConfig with a good file', () => {
  it('returns everything that the runtime needs', async () => {
    const text = `
server: { port: 0 }
auth:
  keys:
    - { principal_id: alice, key_hash: "sha256:${'ab'.repeat(32)}" }
    - { principal_id: bob, key: "secret://env/BOB_KEY#value", routes: [default], roles: [approve] }
providers:
  parrot: { type: parrot, region: eu, developer: Parrots, timeout_ms: 10, base_url: "https://example.org", api_key: "secret://env/API_KEY#value" }
  other: { type: parrot, first_chunk_timeout_ms: 20, idle_timeout_ms: 30, stream_timeout_ms: 40 }
packs:
  banned-words: { words: [secret] }
  soft: { type: banned-words, words: [maybe], verdict: require_approval, timeout_ms: 7, on_error: allow, mode: observe, scope: new }
routes:
  default: { provider: parrot, model: m, approvers: [bob], pipeline: { ingress: [banned-words], egress: [soft] } }
approvals: { expire_after: 2h }
runs: { result_ttl: 90s }
`;
    const { config, diagnostics, plugins, file, project } = await load(text, { env: { BOB_KEY: KEY, API_KEY: 'hunter2' } });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      path: file,
      directory: project.directory,
      digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
      server: { host: '127.0.0.1', port: 0 },
      keys: [
        {
          principal_id: 'alice',
          key_sha256: 'ab'.repeat(32),
          routes: null,
          roles: ['call', 'approve', 'audit', 'rag'],
          namespaces: null,
        },
        { principal_id: 'bob', key_sha256: HASH, routes: ['default'], roles: ['approve'], namespaces: null },
      ],
      expire_after_ms: 7_200_000,
      result_ttl_ms: 90_000,
      record_start: true,
    });
    expect(config?.providers.get('parrot')).toMatchObject({
      name: 'parrot',
      type: 'parrot',
      region: 'eu',
      developer: 'Parrots',
      timeouts: { timeout_ms: 10, first_chunk_timeout_ms: 10, idle_timeout_ms: 60_000, stream_timeout_ms: 1_800_000 },
      package: '@fixture/parrot',
      version: '1.0.0',
      rawOptions: { base_url: 'https://example.org', api_key: 'secret://env/API_KEY#value' },
    });
    expect(config?.providers.get('other')).toMatchObject({
      region: null,
      developer: 'parrot',
      timeouts: {
        timeout_ms: 300_000,
        first_chunk_timeout_ms: 20,
        idle_timeout_ms: 30,
        stream_timeout_ms: 40,
      },
      rawOptions: {},
    });
    expect(config?.packs.get('banned-words')).toMatchObject({
      type: 'banned-words',
      timeout_ms: 5000,
      on_error: 'block',
      mode: 'enforce',
      required: false,
      scope: 'all',
      rawOptions: { words: ['secret'] },
      guard: { stages: ['ingress', 'egress'], verdicts: ['allow', 'block'] },
    });
    expect(config?.packs.get('soft')).toMatchObject({
      name: 'soft',
      timeout_ms: 7,
      on_error: 'allow',
      mode: 'observe',
      scope: 'new',
    });
    expect(config?.routes.get('default')).toMatchObject({
      provider: 'parrot',
      approvers: ['bob'],
      self_approval: true,
      unscannable: 'pass',
      embeddings: 'block',
      vendor_tools: [],
    });
    expect(plugins.map(({ type, state }) => [type, state])).toEqual([
      ['banned-words', 'used'],
      ['parrot', 'used'],
    ]);
    if (config !== null) await closeInstances(config, silentLogger);
  });

  it('accepts JSON, a byte order mark, and a file that uses only built-in plugins', async () => {
    const json = JSON.stringify({
      auth: { keys: [{ principal_id: 'a', key: KEY }] },
      providers: { p: { type: 'parrot' } },
      routes: { r: { provider: 'p', model: 'm' } },
    });
    const { config, diagnostics, plugins } = await load(`\ufeff${json}`, { installed: [], builtIn: ['parrot', 'sink'] });
    expect(config?.keys).toMatchObject([{ key_sha256: HASH }]);
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-008', severity: 'warning', path: 'auth.keys.0.key' }]);
    expect(plugins).toMatchObject([
      { type: 'parrot', builtIn: true, state: 'used' },
      { type: 'sink', builtIn: true, state: 'unused' },
    ]);
  });

  it('warns if nobody has a key', async () => {
    const { config, diagnostics } = await load(`providers: { parrot: { type: parrot } }\n${ROUTE}`);
    expect(config).not.toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-009', severity: 'warning', path: 'auth.keys' }]);
  });
});

describe('loadConfig with a file that cannot be read', () => {
  it('reports the error', async () => {
    expect(brief(await load('a: [\n'))).toContainEqual(expect.stringMatching(/^SVC-POL-001 error 2:1 $/));
    expect(brief(await load(new Uint8Array([0x61, 0x3a, 0x20, 0xff])))).toEqual(['SVC-POL-001 error 1:1 ']);
    expect(brief(await load('routes: 1\nroutes: 2\n'))).toEqual(['SVC-POL-001 error 2:1 ']);
  });

  it('names the file as the operator gave it', async () => {
    const { diagnostics, file } = await load('- a\n');
    expect(diagnostics[0]?.file).toBe(file);
    expect(
      formatDiagnostic({
        code: 'SVC-POL-002',
        severity: 'error',
        file: 'f',
        line: 3,
        column: 4,
        path: 'a.b',
        message: 'm',
        expected: 'e',
        nearest: 'n',
      }),
    ).toBe('f:3:4: error SVC-POL-002 a.b: m, expected e; did you mean n?');
  });
});

it('refuses a private key in the configuration file itself', async () => {
  const { config, diagnostics } = await load(
    `${AUTH}providers: { parrot: { type: parrot } }\n${ROUTE}ledger: { signing_keys: [plain] }\n`,
  );
  expect(config).toBeNull();
  expect(diagnostics).toMatchObject([{ code: 'SVC-POL-008', severity: 'error', path: 'ledger.signing_keys.0' }]);
});

describe('loadConfig with a faulty file', () => {
  it('reports all faults of all sections at once, in the order of the file', async () => {
    const result = await load(`server: { prot: 1, port: high }
auth:
  keys:
    - { principal_id: alice, key_hash: "sha256:abc", routes: [defalt] }
    - { principal_id: bob, roles: [aprove], key: nothing }
    - { principal_id: carl }
    - { principal_id: dave, key: "${KEY}", key_hash: "sha256:${HASH}" }
providers:
  parrot: { type: parrot, regoin: eu }
  empty:
packs:
  banned-words: { wrods: [a], verdict: blok }
  twice: { type: banned-words, words: [a, A] }
  no good: { type: banned-words, words: [a] }
routes:
  default:
    provider: parot
    ownr: risk
    approvers: [alcie]
    pipeline: { ingress: [banned-word, twice, twice] }
approvals: { expire_after: 30 }
colour: red
`);
    expect(result.config).toBeNull();
    expect(brief(result)).toEqual([
      'SVC-POL-001 error 1:11 server.prot',
      'SVC-POL-001 error 1:26 server.port',
      'SVC-POL-001 error 4:40 auth.keys.0.key_hash',
      'SVC-POL-002 error 4:63 auth.keys.0.routes.0',
      'SVC-POL-001 error 5:36 auth.keys.1.roles.0',
      'SVC-POL-008 warning 5:50 auth.keys.1.key',
      'SVC-POL-001 error 5:50 auth.keys.1.key',
      'SVC-POL-001 error 6:7 auth.keys.2',
      'SVC-POL-001 error 7:7 auth.keys.3',
      'SVC-POL-008 warning 7:34 auth.keys.3.key',
      'SVC-POL-001 error 9:27 providers.parrot.regoin',
      'SVC-POL-001 error 10:9 providers.empty',
      'SVC-POL-001 error 12:3 packs.banned-words.words',
      'SVC-POL-001 error 12:19 packs.banned-words.wrods',
      'SVC-POL-001 error 12:40 packs.banned-words.verdict',
      'SVC-POL-001 error 13:3 packs.twice',
      'SVC-POL-001 error 14:3 packs.no good',
      'SVC-POL-001 error 16:3 routes.default.model',
      'SVC-POL-002 error 17:15 routes.default.provider',
      'SVC-POL-001 error 18:5 routes.default.ownr',
      'SVC-POL-002 error 19:17 routes.default.approvers.0',
      'SVC-POL-001 error 20:47 routes.default.pipeline.ingress.2',
      'SVC-POL-001 error 21:28 approvals.expire_after',
      'SVC-POL-001 error 22:1 colour',
    ]);
    const nearest = result.diagnostics.filter((found) => found.nearest !== undefined).map((found) => [found.path, found.nearest]);
    expect(Object.fromEntries(nearest)).toEqual({
      'server.prot': 'port',
      'auth.keys.0.routes.0': 'default',
      'auth.keys.1.roles.0': 'approve',
      'providers.parrot.regoin': 'region',
      'packs.banned-words.wrods': 'words',
      'packs.banned-words.verdict': 'block',
      'routes.default.provider': 'parrot',
      'routes.default.ownr': 'owner',
      'routes.default.approvers.0': 'alice',
    });
    expect(result.diagnostics.find(({ path }) => path === 'server.port')?.expected).toBe('a whole number from 0 to 65535');
  });

  it.each([
    [
      'two entries with one key',
      `auth: { keys: [{ principal_id: a, key: "${KEY}" }, { principal_id: b, key_hash: "sha256:${HASH}" }] }\n`,
      'auth.keys.1',
    ],
    [
      'no date',
      `${AUTH}routes: { default: { provider: parrot, model: m, last_review: 2026-02-31 } }\n`,
      'routes.default.last_review',
    ],
    ['no routes', 'routes: {}\n', 'routes'],
    ['no signing key', `${ROUTE}ledger: { signing_keys: ["secret://env/NO_PEM#value"] }\n`, 'ledger.signing_keys.0'],
  ])('refuses %s', async (_what, part, path) => {
    const rest = part.includes('routes:') ? '' : ROUTE;
    const env = { NO_PEM: 'rubbish' };
    const { config, diagnostics } = await load(`providers: { parrot: { type: parrot } }\n${rest}${part}`, { env });
    expect(config).toBeNull();
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'SVC-POL-001', path }]);
  });

  it.each([
    [
      'tool_call',
      '  default: { provider: parrot, model: m, pipeline: { tool_call: [] } }',
      'SVC-POL-004',
      'routes.default.pipeline.tool_call',
    ],
    [
      'tool_result',
      '  default: { provider: parrot, model: m, pipeline: { tool_result: [x] } }',
      'SVC-POL-004',
      'routes.default.pipeline.tool_result',
    ],
  ])('refuses %s, which no installed plugin serves', async (_what, routes, code, path) => {
    const { config, diagnostics } = await load(`${AUTH}providers: { parrot: { type: parrot } }\nroutes:\n${routes}\n`);
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code, severity: 'error', path }]);
  });
});
