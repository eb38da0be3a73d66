import { expect, it } from 'vitest';
import { bannerLines } from './banner.ts';

const started = { url: 'http://127.0.0.1:8000', routes: ['default'], place: '/var/lib/svc/runs-db' };
const next = { key: null, approver_key: null, key_files: [], chat_prefix: '', config: 'svc.yaml' };

it.each([
  [{ key: 'a', approver_key: 'b' }, '/showcase#key=a', '/approvals#key=b'],
  // The files as an earlier release wrote them.
  [{ key: 'a', approver_key: null }, '/showcase#key=a', '/approvals#key=a'],
  [{ key: null, approver_key: null }, '/showcase', '/approvals'],
])('with the keys %j, the links sign in the caller and the approver', (keys, showcase, approvals) => {
  const links = bannerLines(started, { ...next, ...keys }).flatMap((line) => /http\S+/.exec(line) ?? []);
  expect(links).toEqual([started.url, `${started.url}${showcase}`, `${started.url}${approvals}`]);
});

it('says where the runs are, or that they are deleted, and fits into 100 columns', () => {
  expect(bannerLines(started, next).join('\n')).toContain('/var/lib/svc/runs-db');
  const temporary = bannerLines({ ...started, place: null }, next);
  expect(temporary.join('\n')).toContain('--runs-db');
  expect(temporary.filter((line) => line.length > 100)).toEqual([]);
});

it('names the server for svc chat, unless it is the default', () => {
  const tried = (url: string) => bannerLines({ ...started, url }, next).find((line) => line.includes('svc chat')) ?? '';
  expect(tried(started.url)).not.toContain('--server');
  expect(tried('http://127.0.0.1:9000')).toContain("svc chat 'Hello' --server http://127.0.0.1:9000 ");
});

it('lists five routes and counts the others', () => {
  const routes = Array.from({ length: 8 }, (_, n) => `r${n}`);
  expect(bannerLines({ ...started, routes }, next).join('\n')).toMatch(/r0, r1, r2, r3, r4, 3 more$/m);
});

it('names the configuration for svc doctor, unless it is the default', () => {
  const checked = (config: string) => bannerLines(started, { ...next, config }).find((line) => line.includes('svc doctor'));
  expect(checked('svc.yaml')).toMatch(/svc doctor$/);
  expect(checked('team.yaml')).toMatch(/svc doctor --config team\.yaml$/);
  expect(checked('my team.yaml')).toMatch(/svc doctor --config 'my team\.yaml'$/);
});
