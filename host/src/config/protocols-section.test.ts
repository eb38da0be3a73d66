import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { brief, load } from './test-config.ts';

afterEach(removeProjects);

const INSTALLED = { installed: ['parrot', 'dialect'] };
const REST = 'providers: { p: { type: parrot } }\nroutes: { r: { provider: p, model: m } }\n';
const errors = async (text: string) => brief(await load(text, INSTALLED)).filter((finding) => finding.includes(' error '));

describe('protocols', () => {
  it('come from the plugins named in the configuration', async () => {
    const { config, plugins } = await load(`protocols: [{ type: dialect }]\n${REST}`, INSTALLED);
    expect(config?.protocols.map(({ protocol, door }) => [protocol.id, door?.prefixes])).toEqual([
      ['acme.dialect', ['/dialect/']],
    ]);
    expect(plugins.find(({ kind }) => kind === 'protocol')).toMatchObject({ package: '@fixture/dialect', state: 'used' });
  });

  it('are not loaded unless they are named, even if they are installed', async () => {
    const { config } = await load(REST, INSTALLED);
    expect(config?.protocols).toEqual([]);
  });

  it.each([
    ['a type that is not installed', '{ type: esperanto }', 'SVC-POL-002 error 1:21 protocols.0.type'],
    ['an option that is unknown', '{ type: dialect, colour: red }', 'SVC-POL-001 error 1:30 protocols.0.colour'],
    ['what is no protocol', '{ type: dialect, is_whole: false }', 'SVC-POL-007 error 1:13 protocols.0'],
    ['one that the gateway has', '{ type: dialect, id: openai.chat }', 'SVC-POL-001 error 1:13 protocols.0'],
    ['paths of the gateway', '{ type: dialect, prefix: /v1/ }', 'SVC-POL-001 error 1:13 protocols.0'],
    ['every path', '{ type: dialect, prefix: / }', 'SVC-POL-001 error 1:13 protocols.0'],
    ['a path that is none', '{ type: dialect, prefix: "/a/:b/" }', 'SVC-POL-001 error 1:13 protocols.0'],
  ])('refuses %s', async (_what, section, finding) => {
    expect(await errors(`protocols: [${section}]\n${REST}`)).toEqual([finding]);
  });

  it('refuses two protocols with the same path or the same id', async () => {
    const two = (second: string) => errors(`protocols: [{ type: dialect }, { type: dialect, ${second} }]\n${REST}`);
    expect(await two('id: other')).toEqual([expect.stringMatching(/^SVC-POL-001 .* protocols\.1$/)]);
    expect(await two('prefix: /other/')).toEqual([expect.stringMatching(/^SVC-POL-001 .* protocols\.1$/)]);
    expect(await two('id: other, prefix: /other/')).toEqual([]);
  });

  it('refuses a provider whose protocol is unknown', async () => {
    const speaking = REST.replace('type: parrot', 'type: dialect');
    expect(await errors(speaking)).toEqual([expect.stringMatching(/^SVC-POL-002 .* providers\.p$/)]);
    expect(await errors(`protocols: [{ type: dialect }]\n${speaking}`)).toEqual([]);
  });

  it('change only with a restart', async () => {
    const { config: former } = await load(`protocols: [{ type: dialect }]\n${REST}`, INSTALLED);
    if (former === null) throw new Error('no configuration');
    const { diagnostics } = await load(REST, { ...INSTALLED, former });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'SVC-POL-012', path: 'protocols' },
    ]);
  });
});
