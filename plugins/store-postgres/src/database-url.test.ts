import { describe, expect, test } from 'vitest';
import { databaseUrl } from './database-url.ts';

const AT = 'postgres://svc:p%40ss@db.example:5433/svc';
const modeOf = (url: string, env: NodeJS.ProcessEnv = {}) =>
  new URLSearchParams(databaseUrl(url, env).url.split('?')[1]).get('sslmode');

describe('TLS', () => {
  test.each([
    ['?sslmode=disable', 'disable', 'not_encrypted'],
    ['', 'disable', 'not_encrypted'],
    ['?ssl=0', 'disable', 'not_encrypted'],
    ['?sslmode=require', 'verify-full', null],
    ['?sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-full', null],
    ['?sslmode=verify-full', 'verify-full', null],
    ['?ssl=true', 'verify-full', null],
    ['?sslrootcert=/ca.pem', 'verify-full', null],
    ['?sslmode=no-verify', 'no-verify', 'not_verified'],
    ['?ssl=no-verify', 'no-verify', 'not_verified'],
  ])('%s is %s, warning %s', (query, mode, warning) => {
    expect(modeOf(AT + query)).toBe(mode);
    expect(databaseUrl(AT + query, {}).warning).toBe(warning);
  });

  test.each([
    '?sslmode=prefer',
    '?sslmode=allow',
    '?sslmode=verify_full',
    '?sslmode=',
    '?ssl=false',
    '?ssl=yes',
    '?uselibpqcompat=true&sslmode=require',
    '?uselibpqcompat=true&sslmode=verify-full',
  ])('%s is refused, without the password', (query) => {
    const refused = { name: 'StoreError', code: 'OPEN', message: expect.not.stringContaining('p%40ss') };
    expect(() => databaseUrl(AT + query, {})).toThrow(expect.objectContaining(refused));
  });

  test('PGSSLMODE applies if the URL sets no mode, under the same rules', () => {
    expect(modeOf(AT, { PGSSLMODE: 'require' })).toBe('verify-full');
    expect(modeOf(`${AT}?sslmode=disable`, { PGSSLMODE: 'require' })).toBe('disable');
    expect(() => databaseUrl(AT, { PGSSLMODE: 'prefer' })).toThrow(expect.objectContaining({ code: 'OPEN' }));
  });

  test.each([
    'postgres://localhost/svc',
    'postgres://svc@127.0.0.1:5432/svc',
    'postgres://[::1]/svc',
    'postgres:///svc',
    'postgres://svc@/svc?host=/var/run/postgresql',
    'postgres://%2Fvar%2Frun%2Fpostgresql/svc',
    'postgres://db.example/svc?host=localhost',
  ])('%s does not leave the machine', (url) => {
    expect(databaseUrl(url, {}).warning).toBeNull();
  });

  test('without a host, PGHOST applies', () => {
    expect(databaseUrl('postgres:///svc', { PGHOST: 'db.example' }).warning).toBe('not_encrypted');
  });
});

test('the rest of the URL stays unchanged, except the session options', () => {
  const { url, options } = databaseUrl(`${AT}?options=-c%20work_mem%3D1MB&sslmode=disable&connect_timeout=3`, {});
  expect(options).toBe('-c work_mem=1MB');
  expect(url).toBe(`${AT}?connect_timeout=3&sslmode=disable`);
});
