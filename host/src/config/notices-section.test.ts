import { afterEach, describe, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { load, type TestOptions } from './test-config.ts';

afterEach(removeProjects);

const ENV = { API_KEY: 'k', URL: 'https://hooks.example/T0/SECRET', HOOK: `whsec_${Buffer.alloc(32, 1).toString('base64')}` };

async function loadNotices(notices: object, options: TestOptions = {}) {
  const { config, diagnostics } = await load(
    JSON.stringify({
      auth: { keys: [{ principal_id: 'alice', key_hash: `sha256:${'0'.repeat(64)}` }] },
      providers: { eu: { type: 'parrot', region: 'eu', base_url: 'https://example.org', api_key: 'secret://env/API_KEY#value' } },
      routes: { r: { provider: 'eu', model: 'm' } },
      notices,
    }),
    { env: ENV, ...options },
  );
  const found = diagnostics.map(({ code, severity, path }) => `${code} ${severity} ${path}`);
  return { config, found, text: JSON.stringify(diagnostics) };
}

const PUBLIC = { public_url: 'https://svc.example.org/' };
const SLACK = { name: 'chat', type: 'slack', on: ['paused'], url: 'secret://env/URL#value' };
const HOOK = { name: 'hook', type: 'webhook', on: ['paused'], url: 'https://a.example/', secret: 'secret://env/HOOK#value' };
const MAIL = { name: 'mail', type: 'email', on: ['paused'], host: 'mail.example', from: 'svc@a.example', to: ['b@a.example'] };
const withTarget = (target: object) => loadNotices({ ...PUBLIC, targets: [target] });

describe('the section notices', () => {
  it('has defaults, and its references are replaced by secrets', async () => {
    const { config, found } = await loadNotices({ ...PUBLIC, targets: [SLACK, HOOK, MAIL] });
    expect(found).toEqual([]);
    expect(config?.notices).toEqual({
      public_url: 'https://svc.example.org',
      group_ms: 60_000,
      budget_percent: 80,
      exporter_lag_records: 1000,
      targets: [
        { ...SLACK, url: ENV.URL, allow_private: false },
        { ...HOOK, secret: ENV.HOOK, allow_private: false },
        { ...MAIL, tls: 'starttls' },
      ],
    });
  });

  it('needs no secrets to be linted', async () => {
    const { found } = await loadNotices({ ...PUBLIC, targets: [SLACK, HOOK] }, { env: { API_KEY: 'k' }, resolveSecrets: false });
    expect(found).toEqual([]);
  });

  it('needs the address that messages link to', async () => {
    expect((await loadNotices({ targets: [SLACK] })).found).toEqual(['SVC-POL-001 error notices.public_url']);
  });

  it.each([
    'http://svc.example.org',
    'https://u:p@svc.example.org',
    'https://svc.example.org/?a',
    'svc.example.org',
    'https://a|b',
  ])('refuses the address %s', async (public_url) => {
    expect((await loadNotices({ public_url, targets: [SLACK] })).found).toEqual(['SVC-POL-001 error notices.public_url']);
  });

  it('refuses two targets with one name', async () => {
    const { found } = await loadNotices({ ...PUBLIC, targets: [SLACK, { ...MAIL, name: 'chat' }] });
    expect(found).toEqual(['SVC-POL-001 error notices.targets.1.name']);
  });

  it.each([
    ['an unknown type', { ...SLACK, type: 'slak' }, 'SVC-POL-001 error notices.targets.0'],
    ["another type's keys", { ...SLACK, host: 'mail.example' }, 'SVC-POL-001 error notices.targets.0.host'],
    ['an unknown event', { ...SLACK, on: ['pause'] }, 'SVC-POL-001 error notices.targets.0.on.0'],
    ['no event', { ...SLACK, on: [] }, 'SVC-POL-001 error notices.targets.0.on'],
    ['an unknown route', { ...SLACK, routes: ['s'] }, 'SVC-POL-002 error notices.targets.0.routes.0'],
    ['a webhook without a secret', { ...HOOK, secret: undefined }, 'SVC-POL-001 error notices.targets.0.secret'],
    ['a webhook over http', { ...HOOK, url: 'http://a.example/' }, 'SVC-POL-001 error notices.targets.0'],
    ['a webhook at a private address', { ...HOOK, url: 'https://10.0.0.1/' }, 'SVC-POL-001 error notices.targets.0'],
    ['a secret of another form', { ...HOOK, secret: 'secret://env/URL#value' }, 'SVC-POL-001 error notices.targets.0'],
    ['a chat whose secret is no URL', { ...SLACK, url: 'secret://env/HOOK#value' }, 'SVC-POL-001 error notices.targets.0'],
    ['a reference elsewhere', { ...MAIL, host: 'secret://env/URL#value' }, 'SVC-POL-008 error notices.targets.0.host'],
    ['a user without a password', { ...MAIL, user: 'u' }, 'SVC-POL-001 error notices.targets.0'],
    [
      'a password that is sent unencrypted',
      { ...MAIL, tls: 'none', user: 'u', password: 'secret://env/API_KEY#value' },
      'SVC-POL-001 error notices.targets.0',
    ],
    ['a recipient that is no address', { ...MAIL, to: ['b'] }, 'SVC-POL-001 error notices.targets.0.to.0'],
    ['a proxy that is no URL', { ...MAIL, proxy: 'ftp://a.example' }, 'SVC-POL-001 error notices.targets.0'],
    ['certificates that cannot be read', { ...MAIL, ca: 'nowhere.pem' }, 'SVC-POL-001 error notices.targets.0'],
    [
      'an unknown time zone',
      { ...SLACK, quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars' } },
      'SVC-POL-001 error notices.targets.0.quiet_hours.time_zone',
    ],
    [
      'quiet hours without end',
      { ...SLACK, quiet_hours: { from: '22:00', to: '22:00' } },
      'SVC-POL-001 error notices.targets.0.quiet_hours.to',
    ],
    [
      'a time that is none',
      { ...SLACK, quiet_hours: { from: '24:00', to: '7' } },
      'SVC-POL-001 error notices.targets.0.quiet_hours.from',
    ],
  ])('refuses %s', async (_, target, expected) => {
    const { config, found, text } = await withTarget(target);
    expect(config).toBeNull();
    expect(found[0]).toBe(expected);
    expect(text).not.toContain('SECRET');
  });

  it('warns about secrets in the file, and does not repeat them', async () => {
    const { config, found, text } = await withTarget({ ...SLACK, url: ENV.URL });
    expect(config).not.toBeNull();
    expect(found).toEqual(['SVC-POL-008 warning notices.targets.0.url']);
    expect(text).not.toContain('SECRET');
  });
});
