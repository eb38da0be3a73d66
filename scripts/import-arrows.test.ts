import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const biome = join(dirname(createRequire(import.meta.url).resolve('@biomejs/biome/package.json')), 'bin', 'biome');

/** Whether biome refuses this import in a file at this path. Nothing is written. */
function isRefused(file: string, imported: string): boolean {
  const args = [biome, 'lint', `--stdin-file-path=${file}`, '--only=style/noRestrictedImports'];
  const input = `import { planted } from '${imported}';\nplanted();\n`;
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, input, encoding: 'utf8' });
  const named = stderr.includes('noRestrictedImports');
  // Refused for this reason or not at all: any other failure would prove nothing.
  if (named !== (status !== 0)) throw new Error(`biome ended with ${status}: ${stderr}`);
  return named;
}

const FORBIDDEN: readonly (readonly [string, readonly string[]])[] = [
  ['kernel/src/contracts/planted.ts', ['../config/index.ts', '../index.ts', 'uuid', 'yaml', 'node:fs', '@svc/sdk/plugin', 'fastify']],
  ['kernel/src/planted.ts', ['fastify', 'lmdb', 'piscina', 'prom-client', '@svc/host', '@svc/sdk/plugin', '@svc/guard-rules']],
  ['kernel/src/runs/planted.ts', ['fastify', '@fastify/swagger', 'lmdb', 'piscina', 'prom-client', 'undici', '@svc/sdk/plugin']],
  ['kernel/src/ledger/deep/planted.ts', ['fastify', 'lmdb', 'piscina', '@svc/store-lmdb']],
  ['kernel/src/workers/planted.ts', ['fastify', 'lmdb', 'prom-client', '@svc/host']],
  ['sdk/src/plugin/planted.ts', ['@svc/kernel', '@svc/host', '@svc/guard-rules']],
  ['plugins/guard-rules/src/planted.ts', ['@svc/kernel', '@svc/kernel/contracts', '@svc/host', '@svc/store-lmdb', 'lmdb', 'fastify']],
  ['plugins/store-lmdb/src/planted.ts', ['@svc/kernel', '@svc/kernel/contracts', '@svc/guard-rules', 'fastify', 'piscina']],
  ['plugins/new-one/src/deep/planted.ts', ['@svc/kernel', '@svc/provider-echo', 'lmdb', 'piscina', 'prom-client']],
  ['host/src/planted.ts', ['@svc/guard-rules', '@svc/store-lmdb', '@svc/provider-echo', 'lmdb', 'piscina']],
  ['host/src/http/endpoints/planted.ts', ['@svc/kernel/src/runs/runs.ts', '@svc/sdk/plugin', 'lmdb']],
];

const ALLOWED: readonly (readonly [string, readonly string[]])[] = [
  ['kernel/src/contracts/planted.ts', ['typebox', './json.ts']],
  ['kernel/src/runs/planted.ts', ['../contracts/index.ts', 'uuid', 'node:crypto']],
  ['kernel/src/workers/planted.ts', ['piscina', '../contracts/index.ts']],
  ['sdk/src/plugin/planted.ts', ['@svc/kernel/contracts', 'typebox']],
  ['plugins/guard-rules/src/planted.ts', ['@svc/sdk/plugin', '@svc/sdk/testing', 're2js']],
  ['plugins/store-lmdb/src/planted.ts', ['@svc/sdk/plugin', 'lmdb']],
  ['host/src/planted.ts', ['@svc/kernel', '@svc/kernel/contracts', 'fastify', 'prom-client']],
];

describe('who may import whom', () => {
  it.each(pairs(FORBIDDEN))('%s must not import %s', (file, imported) => {
    expect(isRefused(file, imported)).toBe(true);
  });

  it.each(pairs(ALLOWED))('%s may import %s', (file, imported) => {
    expect(isRefused(file, imported)).toBe(false);
  });
});

function pairs(table: readonly (readonly [string, readonly string[]])[]): [string, string][] {
  return table.flatMap(([file, imports]) => imports.map((imported): [string, string] => [file, imported]));
}
