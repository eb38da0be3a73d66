import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../harness/gateway.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const openapi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));

describe('9 Versioning', () => {
  it('1 the HTTP API is under /v1; pages, how people sign in on them, metrics and probes are not', () => {
    const outside = Object.keys(openapi.paths).filter((path) => !path.startsWith('/v1/'));
    const signIn = ['/auth/callback', '/auth/login', '/auth/logout', '/auth/session'];
    expect(outside.sort()).toEqual([
      '/admin',
      '/approvals',
      ...signIn,
      '/docs',
      '/livez',
      '/metrics',
      '/readyz',
      '/runs',
      '/showcase',
      '/usage',
    ]);
  });

  it('2 the release is 2.0.0a1, and every package shares it', () => {
    expect(spawnSync(process.execPath, [MAIN, '--version'], { encoding: 'utf8' }).stdout).toBe('2.0.0a1\n');
    const manifests = ['package.json', ...globSync('{kernel,sdk,host,plugins/*}/package.json', { cwd: ROOT })];
    expect(manifests.length).toBeGreaterThan(5);
    for (const file of manifests)
      expect([file, JSON.parse(readFileSync(join(ROOT, file), 'utf8')).version]).toEqual([file, '2.0.0-alpha.1']);
  });

  it('3 openapi.json is published, of this release', () => {
    expect(openapi).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0a1' } });
  });
});
