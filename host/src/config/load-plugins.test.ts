import { createHash } from 'node:crypto';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pinOf } from '@svc/kernel/plugins';
import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { closeInstances } from './close-instances.ts';
import { load } from './test-config.ts';

afterEach(removeProjects);

const KEY = `svc-${'0a'.repeat(32)}`;
const HASH = createHash('sha256').update(KEY).digest('hex');
const ROUTE = 'routes: { default: { provider: parrot, model: m } }\n';
const AUTH = `auth: { keys: [{ principal_id: alice, key_hash: "sha256:${HASH}" }] }\n`;
const GOOD = `${AUTH}providers: { parrot: { type: parrot } }\n${ROUTE}`;

describe('loadConfig and plugins', () => {
  it.each([
    ['a package that is refused', 'guard', 'throws-on-import', '@fixture/throws-on-import 1.0.0'],
    ['a guard that is none', 'guard', 'no-guard', '@fixture/no-guard 1.0.0'],
    ['one of two packages with the same type', 'guard', 'twin', '@fixture/twin-b 1.0.0'],
  ])('refuses %s, and names it', async (_what, _kind, type, named) => {
    const text = `${AUTH}providers: { parrot: { type: parrot } }\npacks:\n  node: { type: ${type} }\n${ROUTE}`;
    const { config, diagnostics } = await load(text, {
      installed: ['parrot', 'twin-a', 'twin-b', 'throws-on-import', 'no-guard'],
    });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([
      { code: 'SVC-POL-007', severity: 'error', line: 4, message: expect.stringContaining(named) },
    ]);
  });

  it('ignores and lists broken packages that the configuration does not use', async () => {
    const { config, plugins } = await load(GOOD, {
      installed: ['parrot', 'twin-a', 'twin-b', 'garbage-manifest', 'hangs-on-import'],
    });
    expect(config).not.toBeNull();
    expect(plugins.map((plugin) => [plugin.package, plugin.type, plugin.state, 'reason' in plugin])).toEqual([
      ['@fixture/garbage-manifest', null, 'refused', true],
      ['@fixture/hangs-on-import', 'hangs-on-import', 'unused', false],
      ['@fixture/parrot', 'parrot', 'used', false],
      ['@fixture/twin-a', 'twin', 'refused', true],
      ['@fixture/twin-b', 'twin', 'refused', true],
    ]);
  });

  it('names the package to install, the nearest type, and packages whose manifest cannot be read', async () => {
    const text = `${AUTH}providers: { p: { type: parot } }\npacks: { pii: {} }\nroutes: { r: { provider: p, model: m } }\n`;
    const { diagnostics } = await load(text, { installed: ['parrot', 'garbage-manifest'] });
    expect(diagnostics).toMatchObject([
      {
        code: 'SVC-POL-002',
        path: 'providers.p.type',
        nearest: 'parrot',
        message: expect.stringContaining('@fixture/garbage-manifest'),
      },
      { code: 'SVC-POL-002', path: 'packs.pii', message: expect.stringContaining('@svc/guard-pii') },
    ]);
  });

  it('finds packages of the operator from any folder below their package.json, and nowhere else', async () => {
    expect((await load(GOOD, { folder: 'etc/gateway' })).config).not.toBeNull();
    const { config, plugins } = await load(GOOD, {
      folder: 'etc',
      prepare: (project) => project.write('etc/package.json', '{}'),
    });
    expect(config).toBeNull();
    expect(plugins).toEqual([]);
  });

  it('closes all instances after an error, and otherwise those that are no longer needed', async () => {
    const text = GOOD.replace('type: parrot', 'type: parrot, api_key: "secret://drawer/top#left"');
    const installed = ['parrot', 'drawer'];
    const good = await load(text, { installed });
    expect(good.closed).toEqual(['drawer']);
    if (good.config !== null) await closeInstances(good.config, silentLogger);
    expect(good.closed).toEqual(['drawer', 'parrot']);
    expect((await load(`${text}colour: red\n`, { installed })).closed).toEqual(['drawer', 'parrot']);
  });

  describe("a guard's create", () => {
    /** The diagnostics of a configuration with a guard whose `create` has this body. */
    async function created(body: string, guard = '{ type: mine }', how = 'create() {') {
      const definition = `{ [Symbol.for('svc.plugin')]: true, apiVersion: 1, kind: 'guard', type: 'mine',
        options: { type: 'object', additionalProperties: false, properties: { key: { type: 'string', writeOnly: true } } },
        ${how} ${body} } }`;
      const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'mine', entry: './index.js' }] };
      const { config, diagnostics } = await load(`${GOOD}packs: { node: ${guard} }\n`, {
        installed: ['parrot'],
        env: { KEY: 'a-secret-of-the-operator' },
        prepare: (project) => {
          project.write('node_modules/mine/package.json', JSON.stringify({ version: '1.2.3', type: 'module', svc }));
          project.write('node_modules/mine/index.js', `export default ${definition};`);
          project.write('package.json', JSON.stringify({ dependencies: { '@fixture/parrot': '1', mine: '1' } }));
        },
      });
      expect(config).toBeNull();
      return diagnostics.filter(({ severity }) => severity === 'error');
    }

    it.each([
      ["throw new Error('no site is configured')", 'create of the guard mine (mine 1.2.3) threw Error: no site is configured'],
      ['null.site', 'create of the guard mine (mine 1.2.3) threw TypeError: '],
      ["throw 'no site'", 'create of the guard mine (mine 1.2.3) threw a value that is not an Error: no site'],
      ["throw new Error('two\\n lines')", 'threw Error: two lines'],
    ])('that does %s is reported with its own words', async (body, message) => {
      expect(await created(body)).toMatchObject([
        { code: 'SVC-POL-001', path: 'packs.node', message: expect.stringContaining(message) },
      ]);
    });

    it('that quotes a secret is reported without it', async () => {
      const [error] = await created(
        "throw new Error('bad ' + key)",
        '{ type: mine, key: "secret://env/KEY#value" }',
        'create({ key }) {',
      );
      expect(error?.message).toMatch(/threw Error: bad \[secret\]$/);
    });

    it.each(["throw new Error('late')", 'return {}'])('that is async is refused: %s', async (body) => {
      expect(await created(body, '{ type: mine }', 'async create() {')).toMatchObject([
        { code: 'SVC-POL-007', message: expect.stringContaining('create() must not be async') },
      ]);
    });
  });

  it('refuses to start if package.json cannot be read', async () => {
    const { config, diagnostics } = await load(GOOD, { prepare: (project) => project.write('package.json', '{') });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-007', path: '' }]);
  });
});

describe('the allow-list', () => {
  const pins = (entries: Record<string, string>) => `${GOOD}plugins: ${JSON.stringify(entries)}\n`;
  const absent = `sha512-${'A'.repeat(86)}==`;

  it('loads pinned packages', async () => {
    let pin = '';
    await load(GOOD, { installed: ['parrot'], prepare: (project) => (pin = pinOf(project.folderOf('parrot'))) });
    const { config, diagnostics } = await load(pins({ '@fixture/parrot': pin, '@fixture/parot': absent }), {
      installed: ['parrot'],
    });
    expect(config).not.toBeNull();
    expect(diagnostics).toMatchObject([
      { code: 'SVC-POL-002', severity: 'warning', path: 'plugins.@fixture/parot', nearest: '@fixture/parrot' },
    ]);
  });

  it('refuses all other packages', async () => {
    const { config, diagnostics } = await load(pins({}), { installed: ['parrot'] });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-007', path: 'providers.parrot.type' }]);
  });

  it.each([
    ['an exporter', 'exporters: [{ type: sink }]\n', 'sink', 'exporters.0.type'],
    ['a guard', 'packs: { words: { type: banned-words, words: [a] } }\n', 'banned-words', 'packs.words.type'],
  ])('explains how to pin %s, which is installed but not pinned', async (_, section, name, path) => {
    let pin = '';
    const { config, diagnostics } = await load(`${pins({})}${section}`, {
      installed: [name],
      builtIn: ['parrot'],
      prepare: (project) => (pin = pinOf(project.folderOf(name))),
    });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([
      {
        code: 'SVC-POL-007',
        path,
        message: expect.stringMatching(/is not in the allow-list \(the section plugins\).*svc plugins pin/),
      },
    ]);
    const pinned = await load(`${pins({ [`@fixture/${name}`]: pin })}${section}`, { installed: [name], builtIn: ['parrot'] });
    expect(pinned.diagnostics).toEqual([]);
    if (pinned.config !== null) await closeInstances(pinned.config, silentLogger);
  });

  it('refuses changed content even if nothing uses it', async () => {
    const { config, diagnostics } = await load(pins({ '@fixture/sink': absent }), { installed: ['sink'], builtIn: ['parrot'] });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-007', path: 'plugins.@fixture/sink' }]);
  });

  it('is not partly applied if it is malformed', async () => {
    const { config, diagnostics, plugins } = await load(pins({ '@fixture/parrot': 'sha512-short' }));
    expect(config).toBeNull();
    expect(plugins).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-001', path: 'plugins.@fixture/parrot' }]);
  });
});

describe('secrets', () => {
  const withKey = (reference: string) => `${AUTH}providers:\n  parrot: { type: parrot, api_key: "${reference}" }\n${ROUTE}`;

  it.each([
    ['without #key', 'secret://env/KEY', 'SVC-POL-008'],
    ['inside another text', 'Bearer secret://env/KEY#v', 'SVC-POL-008'],
    ['of an unknown backend', 'secret://fiel/KEY#v', 'SVC-POL-002'],
    ['of an unset variable', 'secret://env/UNSET#v', 'SVC-POL-008'],
    ['of an empty variable', 'secret://env/EMPTY#v', 'SVC-POL-008'],
    ['of a file that is not there', 'secret://file/absent.json#v', 'SVC-POL-008'],
    ['of a field that is not there', 'secret://file/secrets.json#absent', 'SVC-POL-008'],
    ['of a field that is no text', 'secret://file/secrets.json#list', 'SVC-POL-008'],
    ['of a field of Object.prototype', 'secret://file/secrets.json#constructor', 'SVC-POL-008'],
    ['of a file of another kind', 'secret://file/plain.txt#v', 'SVC-POL-008'],
    ['to another reference', 'secret://env/OTHER#v', 'SVC-POL-008'],
    ['that a plugin does not know', 'secret://drawer/top#absent', 'SVC-POL-008'],
    ['that a plugin fails on, quoting it', 'secret://drawer/stuck#v', 'SVC-POL-008'],
  ])('refuses a reference %s', async (_what, reference, code) => {
    const { config, diagnostics } = await load(withKey(reference), {
      installed: ['parrot', 'drawer'],
      env: { KEY: 'hunter2', EMPTY: '', OTHER: 'secret://env/KEY#v' },
      prepare: (project) => {
        chmodSync(project.write('secrets.json', '{"token":"hunter2","list":["hunter2"]}'), 0o600);
        chmodSync(project.write('plain.txt', 'hunter2'), 0o600);
      },
    });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code, severity: 'error', line: 3, column: 36, path: 'providers.parrot.api_key' }]);
    expect(JSON.stringify(diagnostics)).not.toMatch(/hunter2|tok-left/);
  });

  it.each([
    ['env', 'secret://env/KEY#any'],
    ['a JSON file', 'secret://file/secrets.json#token'],
    ['a PEM file', 'secret://file/key.pem#pem'],
    ['a plugin', 'secret://drawer/bottom#right'],
  ])('are resolved from %s', async (_what, reference) => {
    const prepare = (project: Parameters<NonNullable<NonNullable<Parameters<typeof load>[1]>['prepare']>>[0]) => {
      chmodSync(project.write('secrets.json', '{"token":"tok-file"}'), 0o600);
      chmodSync(project.write('key.pem', '-----BEGIN KEY-----\ntok-pem\n-----END KEY-----\n'), 0o600);
    };
    // The parrot quotes its key if its URL is `none`. So the hidden part of the message shows which value it received.
    const text = withKey(reference).replace('api_key', 'base_url: none, api_key');
    const { diagnostics } = await load(text, { installed: ['parrot', 'drawer'], env: { KEY: 'tok-env' }, prepare });
    expect(diagnostics).toMatchObject([
      { code: 'SVC-POL-001', path: 'providers.parrot', message: expect.stringContaining('the key is [secret]') },
    ]);
  });

  it('in the file itself cause a warning, and are hidden from messages too', async () => {
    const { diagnostics } = await load(withKey('hunter2').replace('api_key', 'base_url: none, api_key'));
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['SVC-POL-001', 'providers.parrot'],
      ['SVC-POL-008', 'providers.parrot.api_key'],
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  });

  it.each([0o644, 0o604, 0o602, 0o666, 0o777])(
    'in a file of mode %o, which others may use, are refused, read or not',
    async (mode) => {
      for (const resolveSecrets of [true, false]) {
        for (const name of ['s.json', 'link.json']) {
          const { config, diagnostics } = await load(withKey(`secret://file/${name}#k`), {
            resolveSecrets,
            prepare: (project) => {
              chmodSync(project.write('s.json', '{"k":"hunter2"}'), mode);
              symlinkSync('s.json', join(project.directory, 'link.json'));
            },
          });
          expect(config).toBeNull();
          expect(diagnostics).toMatchObject([{ code: 'SVC-POL-008', severity: 'error', path: 'providers.parrot.api_key' }]);
          expect(diagnostics[0]?.message).toMatch(/chmod o-rwx \S+\/s\.json/);
          expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
        }
      }
    },
  );

  it.each([0o400, 0o600, 0o440, 0o640])('are read from a file with the mode %o', async (mode) => {
    const { config, diagnostics } = await load(withKey('secret://file/s.json#k'), {
      prepare: (project) => chmodSync(project.write('s.json', '{"k":"v"}'), mode),
    });
    expect(config).not.toBeNull();
    expect(diagnostics).toEqual([]);
  });

  it('must match the schema after they are resolved', async () => {
    const text = `${GOOD}packs: { banned-words: { words: [a], token: "secret://env/TOKEN#v" } }\n`;
    expect((await load(text, { env: { TOKEN: 'tok-1' } })).diagnostics).toEqual([]);
    const { config, diagnostics } = await load(text, { env: { TOKEN: 'hunter2' } });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-001', path: 'packs.banned-words.token' }]);
    expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  });

  it('may be keys, and must then have the form of a key', async () => {
    const text = GOOD.replace(`key_hash: "sha256:${HASH}"`, 'key: "secret://env/K#v"');
    expect((await load(text, { env: { K: KEY } })).config?.keys).toMatchObject([{ key_sha256: HASH }]);
    const { diagnostics } = await load(text, { env: { K: 'svc-hunter2' } });
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-001', severity: 'error', path: 'auth.keys.0.key' }]);
    expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  });

  it('are refused if nothing resolves them', async () => {
    const { diagnostics } = await load(GOOD.replace('type: parrot', 'type: parrot, region: "secret://env/R#v"'), {
      env: { R: 'eu' },
    });
    expect(diagnostics).toMatchObject([{ code: 'SVC-POL-008', path: 'providers.parrot.region' }]);
  });

  it('are not needed for lint', async () => {
    const text = `${withKey('secret://env/UNSET#v')}packs: { banned-words: { words: [a], token: "secret://file/absent.pem#v" } }\n`;
    const { config, diagnostics } = await load(text.replace(`key_hash: "sha256:${HASH}"`, 'key: "secret://env/K#v"'), {
      resolveSecrets: false,
    });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({ keys: [] });
    expect(config?.packs.size).toBe(1);
  });

  it('in a form that a plugin cannot handle leave lint unable to judge that plugin', async () => {
    const text = withKey('secret://env/UNSET#v').replace('api_key', 'base_url: none, api_key');
    const { config, diagnostics } = await load(text, { resolveSecrets: false });
    expect(config).toBeNull();
    expect(diagnostics).toMatchObject([{ severity: 'warning', path: 'providers.parrot' }]);
  });
});
