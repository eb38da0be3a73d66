import { afterEach, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { load } from './test-config.ts';

afterEach(removeProjects);

const HASH = 'a'.repeat(64);
const withSecrets = (
  secrets: string,
  reference: string,
) => `auth: { keys: [{ principal_id: app, key_hash: "sha256:${HASH}", roles: [call, approve] }] }
secrets: ${secrets}
providers:
  parrot: { type: parrot, base_url: none, api_key: "${reference}" }
routes: { default: { provider: parrot, model: m, pipeline: { ingress: [], egress: [] } } }
`;
const installed = ['parrot', 'drawer'];

it('a backend gives secrets under its name, whatever its type is called', async () => {
  // The parrot quotes its key if its URL is `none`.
  const { diagnostics } = await load(withSecrets('{ chest: { type: drawer } }', 'secret://chest/bottom#right'), { installed });
  expect(diagnostics).toMatchObject([{ path: 'providers.parrot', message: expect.stringContaining('the key is [secret]') }]);
});

it.each([
  ['a name that is built in', '{ env: { type: drawer } }', 'SVC-POL-001', 'secrets.env'],
  ['an unknown plugin, also if nothing refers to it', '{ chest: { type: drawr } }', 'SVC-POL-002', 'secrets.chest.type'],
  ['an unknown option', '{ chest: { type: drawer, colour: red } }', 'SVC-POL-001', 'secrets.chest.colour'],
  [
    'an option from another backend',
    '{ chest: { type: drawer, colour: "secret://drawer/a#b" } }',
    'SVC-POL-008',
    'secrets.chest.colour',
  ],
  [
    'an option that needs an unset variable',
    '{ chest: { type: drawer, colour: "secret://env/UNSET#v" } }',
    'SVC-POL-001',
    'secrets.chest.colour',
  ],
])('refuses %s', async (_, secrets, code, path) => {
  const { config, diagnostics } = await load(withSecrets(secrets, 'plain'), { installed });
  expect(config).toBeNull();
  expect(diagnostics).toContainEqual(expect.objectContaining({ code, path, severity: 'error' }));
});

it.each([
  ['a section', '{ chest: { type: lacks-client } }', 'chest', 'secrets.chest'],
  ['no section', '{}', 'lacks-client', 'providers.parrot.api_key'],
])('says how to install the missing client of a backend with %s', async (_, secrets, name, path) => {
  const { config, diagnostics } = await load(withSecrets(secrets, `secret://${name}/a#b`), {
    installed: ['parrot', 'lacks-client'],
  });
  expect(config).toBeNull();
  const message = expect.stringContaining('run npm install client');
  expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'SVC-POL-007', severity: 'error', path, message }));
});
