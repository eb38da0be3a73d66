import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// A rule that is written wrong refuses nothing and stays green for ever. So a forbidden import is planted for every arrow, in a folder
// that holds nothing but biome.json, .gitignore and these files.

const FORBIDDEN: readonly (readonly [string, readonly string[]])[] = [
  [
    'kernel/contracts/src',
    ['../config/index.ts', '../index.ts', 'uuid', 'yaml', 'node:fs', '@svc/sdk', '@svc/ledger', 'fastify'],
  ],
  ['kernel/ledger/src', ['node:fs', 'node:worker_threads', '@svc/kernel', '@svc/sdk', 'lmdb', 'fastify']],
  [
    'kernel/kernel/src',
    [
      'fastify',
      '@fastify/swagger',
      'gpt-tokenizer/encoding/o200k_base',
      'lmdb',
      'piscina',
      'prom-client',
      'undici',
      'yaml',
      '@svc/host',
      '@svc/sdk',
      '@svc/guard-rules',
    ],
  ],
  ['kernel/kernel/src/runs', ['@svc/runtime', '@svc/runtime/content', '@svc/protocols', 'gpt-tokenizer/encoding/o200k_base']],
  [
    'kernel/runtime/src',
    [
      'fastify',
      '@fastify/swagger',
      'gpt-tokenizer/encoding/o200k_base',
      'lmdb',
      'piscina',
      'prom-client',
      'yaml',
      '@svc/host',
      '@svc/sdk',
      '@svc/guard-rules',
    ],
  ],
  ['kernel/runtime/src/texts', ['piscina', '@svc/store-lmdb']],
  ['kernel/runtime/src/records/tree', ['fastify', 'lmdb', 'piscina', '@svc/store-lmdb']],
  ['sdk/plugin/src', ['@svc/kernel', '@svc/host', '@svc/toolkit/work', '@svc/guard-rules', 'undici', 're2js']],
  ['sdk/toolkit/src/masking', ['@svc/kernel', '@svc/host', '@svc/guard-rules', 'undici', 'eventsource-parser']],
  ['sdk/toolkit/src/upstream', ['@svc/kernel', '@svc/host', '@svc/provider-openai']],
  ['sdk/toolkit/src/webhook', ['@svc/kernel', '@svc/host', '@svc/guard-webhook']],
  ['sdk/client/src', ['@svc/contracts', '@svc/sdk', 'undici', 'node:http']],
  ['plugins/guard-rules/src', ['@svc/kernel', '@svc/contracts', '@svc/host', '@svc/store-lmdb', 'lmdb', 'fastify']],
  ['plugins/store-lmdb/src', ['@svc/kernel', '@svc/contracts', '@svc/guard-rules', 'fastify', 'piscina']],
  ['plugins/new-one/src/deep', ['@svc/kernel', '@svc/provider-echo', 'lmdb', 'piscina', 'prom-client']],
  ['host/src', ['@svc/guard-rules', '@svc/store-lmdb', '@svc/provider-echo', '@svc/toolkit/work', 'lmdb', 'piscina']],
  ['host/src/compose', ['tsyringe', 'reflect-metadata', 'reflect-metadata/lite', '@svc/guard-rules', 'lmdb']],
  ['host/src/tokens', ['@svc/kernel', 'tsyringe', 'lmdb']],
  ['host/pages/showcase/ledger', ['@svc/kernel', '@svc/ledger', '@svc/sdk', 'node:crypto', 'undici']],
  ['host/src/http/endpoints', ['@svc/kernel/src/runs/runs.ts', '@svc/sdk', 'lmdb']],
];

const ALLOWED: readonly (readonly [string, readonly string[]])[] = [
  ['kernel/contracts/src', ['typebox', './json.ts']],
  ['kernel/ledger/src', ['@svc/contracts', '#digest', 'canonicalize', 'typebox/compile', 'node:crypto']],
  ['kernel/kernel/src/runs', ['@svc/contracts', '@svc/ledger', 'uuid', 'node:crypto']],
  ['kernel/runtime/src/texts', ['@svc/contracts', '@svc/ledger', '@svc/protocols', '@svc/kernel', '@svc/kernel/ports']],
  ['sdk/plugin/src', ['@svc/contracts', 'typebox', 'node:assert/strict']],
  ['sdk/toolkit/src/upstream', ['@svc/contracts', '@svc/sdk', 'undici']],
  ['sdk/toolkit/src/webhook', ['@svc/contracts', 'undici']],
  ['plugins/provider-openai/src', ['@svc/sdk', '@svc/toolkit/upstream', 'typebox']],
  ['plugins/guard-rules/src', ['@svc/sdk', '@svc/sdk/testing', 're2js']],
  ['plugins/store-lmdb/src', ['@svc/sdk', 'lmdb']],
  [
    'host/src',
    [
      '@svc/kernel',
      '@svc/runtime',
      '@svc/runtime/content',
      '@svc/contracts',
      '@svc/ledger',
      '@svc/toolkit/folder-lock',
      '@svc/toolkit/network',
      'fastify',
      'prom-client',
    ],
  ],
  ['sdk/toolkit/src/network', ['@svc/contracts', 'undici', 'ipaddr.js']],
  ['host/src/tokens', ['piscina', 'gpt-tokenizer/encoding/o200k_base']],
  ['host/pages/shared', ['@svc/contracts', '@svc/ledger/chain', 'typebox', './dom.ts', '../../src/http/schemas.ts']],
];

const forbidden = planted(FORBIDDEN, 'forbidden');
const allowed = planted(ALLOWED, 'allowed');
const folder = mkdtempSync(join(tmpdir(), 'svc-arrows-'));
let refused: ReadonlySet<string>;

beforeAll(() => {
  // Biome refuses its configuration without the file of ignored names.
  for (const name of ['biome.json', '.gitignore']) cpSync(join(import.meta.dirname, '..', name), join(folder, name));
  for (const { file, imported } of [...forbidden, ...allowed]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `import { planted } from '${imported}';\n\nplanted();\n`);
  }
  refused = refusedFiles();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('imports between folders', () => {
  it.each(forbidden)('$folder must not import $imported', ({ file }) => {
    expect(refused).toContain(basename(file));
  });

  it.each(allowed)('$folder may import $imported', ({ file }) => {
    expect(refused).not.toContain(basename(file));
  });
});

function planted(table: typeof FORBIDDEN, name: string): { folder: string; file: string; imported: string }[] {
  return table
    .flatMap(([at, imports]) => imports.map((imported) => ({ folder: at, imported })))
    .map((arrow, i) => ({ ...arrow, file: `${arrow.folder}/${name}-${i}.ts` }));
}

/** Names of the files whose import biome refuses. */
function refusedFiles(): ReadonlySet<string> {
  const biome = join(dirname(createRequire(import.meta.url).resolve('@biomejs/biome/package.json')), 'bin', 'biome');
  const options = ['--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = spawnSync(process.execPath, [biome, 'lint', ...options, '.'], { cwd: folder, encoding: 'utf8' });
  const { summary, diagnostics }: BiomeReport = JSON.parse(stdout);
  expect(summary.unchanged).toBe(forbidden.length + allowed.length + 1);
  return new Set(
    diagnostics
      .filter(({ category }) => category === 'lint/style/noRestrictedImports')
      .map(({ location }) => basename(location.path)),
  );
}

interface BiomeReport {
  readonly summary: { readonly unchanged: number };
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}
