import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { load, type TestOptions } from './test-config.ts';

afterEach(removeProjects);

const WORDS = 'type: banned-words, words: [x]';

/** Findings, except those about missing keys and about packages that these tests do not have. */
async function findings(text: string, options: TestOptions = {}) {
  const { diagnostics, config } = await load(
    `providers: { eu: { type: parrot, region: eu }, us: { type: parrot, region: us }, nowhere: { type: parrot } }\n${text}`,
    options,
  );
  const found = diagnostics
    .filter(({ code, path }) => code !== 'SVC-POL-009' || path !== 'auth.keys')
    .filter(({ path }) => !path.startsWith('packs.'));
  return {
    config,
    found: found.map(({ code, severity, path, nearest }) => [code, severity, path, ...(nearest === undefined ? [] : [nearest])]),
  };
}

describe('SVC-POL-002', () => {
  it('finds names that are not defined', async () => {
    const { config, found } = await findings(`
auth: { keys: [{ principal_id: alice, key_hash: "sha256:${'0'.repeat(64)}" }] }
packs: { words: { ${WORDS} } }
routes: { r: { provider: eux, model: m, approvers: [alicia, alice], pipeline: { ingress: [words, wrods], egress: [pii] } } }
`);
    expect(config).toBeNull();
    expect(found).toEqual([
      ['SVC-POL-002', 'error', 'routes.r.provider', 'eu'],
      ['SVC-POL-002', 'error', 'routes.r.approvers.0', 'alice'],
      ['SVC-POL-002', 'error', 'routes.r.pipeline.ingress.1', 'words'],
      ['SVC-POL-002', 'error', 'routes.r.pipeline.egress.0'],
    ]);
  });
});

describe('approvers of a route', () => {
  const key = (n: number, more: string): string => `{ principal_id: p${n}, key_hash: "sha256:${`${n}`.repeat(64)}"${more} }`;
  const file = (keys: string): string =>
    `auth: { keys: [${keys}] }\nroutes: { r: { provider: eu, model: m, approvers: [p1] }, s: { provider: eu, model: m } }\n`;

  it.each([
    ['another principal', key(2, '')],
    ['without the role', key(1, ', roles: [call, audit, admin]')],
    ['for another route', key(1, ', routes: [s]')],
    [
      'the role and the route in two keys',
      `${key(1, ', roles: [call]')}, ${key(1, ', routes: [s]').replace(/1{64}/, '3'.repeat(64))}`,
    ],
  ])('cannot decide: %s', async (_, keys) => {
    const { config, found } = await findings(file(keys));
    expect(config).toBeNull();
    expect(found.map((row) => row.slice(0, 3))).toEqual([['SVC-POL-002', 'error', 'routes.r.approvers.0']]);
  });

  it.each([
    ['by default', key(1, '')],
    ['with role and route', key(1, ', roles: [approve], routes: [r]')],
    ['with one key of two', `${key(1, ', roles: [call]')}, ${key(1, ', roles: [approve]').replace(/1{64}/, '3'.repeat(64))}`],
  ])('can decide: %s', async (_, keys) => {
    expect((await findings(file(keys))).found).toEqual([]);
  });

  const withGroup = (approver: string, keys: string, members: string): string =>
    file(keys).replace('approvers: [p1]', `approvers: [${approver}]`).replace('auth: {', `auth: { groups: { g: ${members} },`);

  it.each([
    ['an empty group', 'group/g', key(1, ''), '[]'],
    ['a group of principals without the role', 'group/g', key(1, ', roles: [call]'), '[p1, p2]'],
    ['a group that is not listed', 'group/constructor', key(1, ''), '[p1]'],
  ])('cannot decide: %s', async (_, approver, keys, members) => {
    const { config, found } = await findings(withGroup(approver, keys, members));
    expect(config).toBeNull();
    expect(found.map((row) => row.slice(0, 3))).toEqual([['SVC-POL-002', 'error', 'routes.r.approvers.0']]);
  });

  it('can decide: a group with one principal who may approve', async () => {
    expect((await findings(withGroup('group/g', key(1, ''), '[p1, p2]'))).found).toEqual([]);
  });

  const escalated = (escalate: string, approvers = '[p1]', more = ''): string =>
    file(`${key(1, '')}, ${key(2, '')}, ${key(3, ', roles: [call]')}`)
      .replace('approvers: [p1]', `approvers: ${approvers}, escalate: ${escalate}`)
      .concat(more);

  it.each([
    ['after: 4h, approvers: [p2]', '[p1]', '', []],
    ['after: 29d, approvers: [p2, p1]', '[p1]', '', []],
    ['after: 4h, approvers: [p3]', '[p1]', '', [['SVC-POL-002', 'error', 'routes.r.escalate.approvers.0']]],
    ['after: 4h, approvers: [group/none]', '[p1]', '', [['SVC-POL-002', 'error', 'routes.r.escalate.approvers.0']]],
    ['after: 30d, approvers: [p2]', '[p1]', '', [['SVC-POL-001', 'error', 'routes.r.escalate.after']]],
    [
      'after: 4h, approvers: [p2]',
      '[p1]',
      'approvals: { expire_after: 240m }\n',
      [['SVC-POL-001', 'error', 'routes.r.escalate.after']],
    ],
    ['after: 4h, approvers: [p2]', '[]', '', [['SVC-POL-001', 'error', 'routes.r.escalate']]],
    ['after: 4h, approvers: []', '[p1]', '', [['SVC-POL-001', 'error', 'routes.r.escalate.approvers']]],
    ['after: 0s, approvers: [p2]', '[p1]', '', [['SVC-POL-001', 'error', 'routes.r.escalate.after']]],
  ])('of an escalation: %s with %s %s', async (escalate, approvers, more, expected) => {
    const { found } = await findings(escalated(`{ ${escalate} }`, approvers, more));
    expect(found.map((row) => row.slice(0, 3))).toEqual(expected);
  });

  it('cause only a warning if no key is configured, for --no-auth', async () => {
    const { found } = await findings(file(''));
    expect(found).toEqual([['SVC-POL-002', 'warning', 'routes.r.approvers.0']]);
  });
});

describe('SVC-POL-003', () => {
  it.each([
    ['ingress: [budget]', 'routes.r.pipeline.ingress.0'],
    ['egress: [words, spend]', 'routes.r.pipeline.egress.1'],
    ['ingress: [budget], egress: [spend]', 'routes.r.pipeline.ingress.0'],
  ])('finds a budget in only one stage: %s', async (pipeline, path) => {
    const packs = `packs: { budget: {}, spend: { type: budget }, words: { ${WORDS} } }`;
    const { found } = await findings(`${packs}\nroutes: { r: { provider: eu, model: m, pipeline: { ${pipeline} } } }\n`);
    expect(found).toContainEqual(['SVC-POL-003', 'error', path]);
  });

  it('accepts a budget in both stages', async () => {
    const { found } = await findings(
      'packs: { b: { type: budget } }\nroutes: { r: { provider: eu, model: m, pipeline: { ingress: [b], egress: [b] } } }\n',
    );
    expect(found).toEqual([]);
  });
});

describe('SVC-POL-004', () => {
  it('finds a node in a stage that its guard does not support', async () => {
    const packs = `packs: { in: { ${WORDS}, stage: ingress }, out: { ${WORDS}, stage: egress } }`;
    const { config, found } = await findings(
      `${packs}\nroutes: { r: { provider: eu, model: m, pipeline: { ingress: [in, out], egress: [in, out] } } }\n`,
    );
    expect(config).toBeNull();
    expect(found).toEqual([
      ['SVC-POL-004', 'error', 'routes.r.pipeline.ingress.1'],
      ['SVC-POL-004', 'error', 'routes.r.pipeline.egress.0'],
    ]);
  });
});

describe('SVC-POL-005', () => {
  it.each([
    ['eu', '[eu, ch]', '[]', null],
    ['us', '[eu]', '[]', 'error'],
    ['nowhere', '[eu]', '[]', 'error'],
    ['us', '[eu]', '[where]', 'warning'],
    ['nowhere', '[eu]', '[where]', 'warning'],
    ['us', '[eu]', '[watching]', 'error'],
  ])('provider %s, residency %s, ingress %s: %s', async (provider, residency, ingress, severity) => {
    const packs = 'packs: { where: { type: residency }, watching: { type: residency, mode: observe } }';
    const { found } = await findings(
      `${packs}\nroutes: { r: { provider: ${provider}, model: m, residency: ${residency}, pipeline: { ingress: ${ingress} } } }\n`,
    );
    expect(found).toEqual(severity === null ? [] : [['SVC-POL-005', severity, 'routes.r.provider']]);
  });

  it('requires nothing if no residency is declared', async () => {
    expect((await findings('routes: { r: { provider: nowhere, model: m } }\n')).found).toEqual([]);
  });
});

describe('declarations of a guard of any type', () => {
  const installed = ['parrot', 'particular'];
  const lintWith = async (options: string, route: string) =>
    (await findings(`packs: { p: { type: particular, ${options} } }\nroutes: { r: { model: m, ${route} } }\n`, { installed }))
      .found;

  it.each([
    ['both: true', 'ingress: [p]', [['SVC-POL-003', 'error', 'routes.r.pipeline.ingress.0']]],
    ['both: true', 'egress: [p]', [['SVC-POL-003', 'error', 'routes.r.pipeline.egress.0']]],
    ['both: true, mode: observe', 'egress: [p]', [['SVC-POL-003', 'error', 'routes.r.pipeline.egress.0']]],
    ['both: true', 'ingress: [p], egress: [p]', []],
    ['both: false', 'egress: [p]', []],
  ])('%s in %s', async (options, pipeline, expected) => {
    expect(await lintWith(options, `provider: eu, pipeline: { ${pipeline} }`)).toEqual(expected);
  });

  it.each([
    ['regions: [eu]', 'us', 'residency: [eu]', 'warning'],
    ['regions: [eu]', 'us', 'owner: me', 'warning'],
    ['regions: [eu]', 'nowhere', 'owner: me', 'warning'],
    ['regions: [eu]', 'eu', 'residency: [eu]', null],
    // It would allow what the route forbids.
    ['regions: [eu, us]', 'us', 'residency: [eu]', 'error'],
    ['regions: [eu], mode: observe', 'us', 'residency: [eu]', 'error'],
    ['regions: [eu], mode: observe', 'us', 'owner: me', null],
    ['both: false', 'us', 'owner: me', null],
  ])('%s before %s with %s', async (options, provider, more, severity) => {
    const expected = severity === null ? [] : [['SVC-POL-005', severity, 'routes.r.provider']];
    expect(await lintWith(options, `provider: ${provider}, ${more}, pipeline: { ingress: [p] }`)).toEqual(expected);
  });

  it.each([
    ['unfit: m', [['SVC-POL-010', 'error', 'routes.r.model']]],
    ['unfit: m, mode: observe', [['SVC-POL-010', 'warning', 'routes.r.model']]],
    ['unfit: other', [['SVC-POL-010', 'error', 'routes.r.fallbacks.0.model']]],
    ['unfit: none', []],
  ])('%s', async (options, expected) => {
    const route = 'provider: eu, fallbacks: [{ provider: us, model: other }], pipeline: { ingress: [p], egress: [p] }';
    expect(await lintWith(options, route)).toEqual(expected);
  });

  it.each(['throw', 'reject', 'nothing', 'number', 'code', 'place', 'message'])(
    'a lint that fails is an error in any mode: %s',
    async (answers) => {
      const route = 'provider: eu, pipeline: { ingress: [p], egress: [p] }';
      for (const mode of ['enforce', 'observe'])
        expect(await lintWith(`unfit: m, mode: ${mode}, answers: ${answers}`, route)).toEqual([
          ['SVC-POL-010', 'error', 'routes.r.pipeline.ingress.0'],
        ]);
    },
  );

  it('an endpoint outside the residency is an error, even if the guard throws', async () => {
    const route = 'provider: us, residency: [eu], pipeline: { ingress: [p] }';
    expect(await lintWith('regions: [eu], unfit: m, answers: throw', route)).toEqual([
      ['SVC-POL-005', 'error', 'routes.r.provider'],
      ['SVC-POL-010', 'error', 'routes.r.pipeline.ingress.0'],
    ]);
  });

  it('the reason is reported on one line', async () => {
    const text = 'providers: { eu: { type: parrot } }\npacks: { p: { type: particular, unfit: m } }\n';
    const route = 'routes: { r: { provider: eu, model: m, pipeline: { egress: [p] } } }\n';
    const { diagnostics } = await load(text + route, { installed });
    expect(diagnostics.find(({ code }) => code === 'SVC-POL-010')?.message).toBe('p: not for m');
  });
});

describe('SVC-POL-006', () => {
  const exporters =
    'routes: { r: { provider: eu, model: m } }\nexporters: [{ type: jsonl, path: x }, { type: jsonk }, { type: sink }]\n';

  it('finds exporters that are not installed', async () => {
    const { config, found } = await findings(exporters, { installed: ['parrot', 'sink'] });
    expect(config).toBeNull();
    expect(found).toEqual([
      ['SVC-POL-006', 'error', 'exporters.0.type'],
      ['SVC-POL-006', 'error', 'exporters.1.type', 'jsonl'],
    ]);
  });

  it('names the package that contains the exporter', async () => {
    const { diagnostics } = await load(`providers: { eu: { type: parrot } }\n${exporters}`);
    expect(diagnostics.find(({ path }) => path === 'exporters.0.type')?.message).toContain('@svc/exporter-jsonl');
  });
});

describe('a node that may pause before a node that sanitizes', () => {
  const packs = `packs:
  mask: { ${WORDS}, verdict: sanitize }
  hold: { ${WORDS}, verdict: require_approval }
  unsure: { ${WORDS}, on_error: require_approval }
  watch: { ${WORDS}, verdict: require_approval, mode: observe }
`;
  it.each([
    ['ingress: [hold, mask]', ['routes.r.pipeline.ingress.0']],
    ['ingress: [mask, hold]', []],
    ['ingress: [hold], egress: [mask]', []],
    ['egress: [unsure, hold, mask]', ['routes.r.pipeline.egress.0', 'routes.r.pipeline.egress.1']],
    ['ingress: [watch, mask]', []],
  ])('%s', async (pipeline, paths) => {
    const { config, found } = await findings(`${packs}routes: { r: { provider: eu, model: m, pipeline: { ${pipeline} } } }\n`);
    expect(config).not.toBeNull();
    expect(found).toEqual(paths.map((path) => ['SVC-POL-009', 'warning', path]));
  });
});

it('warns about a block that looks only at new messages', async () => {
  const pack = (more: string) => `packs: { stop: { ${WORDS}, scope: new, ${more} } }\n`;
  const route = 'routes: { r: { provider: eu, model: m, pipeline: { ingress: [stop] } } }\n';
  expect((await findings(pack('verdict: block') + route)).found).toEqual([
    ['SVC-POL-009', 'warning', 'routes.r.pipeline.ingress.0'],
  ]);
  expect((await findings(pack('verdict: require_approval') + route)).found).toEqual([]);
});

it('checks fallbacks like providers: references and residency', async () => {
  const route = (fallback: string) =>
    `routes: { r: { provider: eu, model: m, residency: [eu], fallbacks: [{ provider: ${fallback}, model: m }] } }\n`;
  expect((await findings(route('elsewhere'))).found).toEqual([['SVC-POL-002', 'error', 'routes.r.fallbacks.0.provider']]);
  expect((await findings(route('us'))).found).toEqual([['SVC-POL-005', 'error', 'routes.r.fallbacks.0.provider']]);
});

describe('limits', () => {
  it.each([
    ['body_limit_bytes: 2000, max_bytes_in_flight: 1999', true],
    ['body_limit_bytes: 2000, max_bytes_in_flight: 2000', false],
    ['max_bytes_in_flight: 16777216', true],
    ['body_limit_bytes: 40000000', false],
  ])('SVC-POL-001: an allowed body must also fit the limits of admission: %s', async (server, refused) => {
    const { found } = await findings(`server: { ${server} }`);
    const refusal = ['SVC-POL-001', 'error', 'server.max_bytes_in_flight'];
    expect(found.some((finding) => JSON.stringify(finding) === JSON.stringify(refusal))).toBe(refused);
  });
});
