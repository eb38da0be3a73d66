import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SigningKey } from '@svc/contracts';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ledgerKey } from './ledger-key.ts';

const KEYS = 25;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});
const publicOf = ({ public_key }: SigningKey) => Buffer.from(public_key).toString('hex');

it('is created once, readable by its owner only, and read from then on', async () => {
  const file = join(folder, 'ledger.key');
  const made = publicOf(await ledgerKey(file));
  expect(publicOf(await ledgerKey(file))).toBe(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['ledger.key']);
});

it('never replaces a file that holds something else', async () => {
  const file = join(folder, 'ledger.key');
  writeFileSync(file, 'no key');
  await expect(ledgerKey(file)).rejects.toThrow();
  writeFileSync(file, '');
  await expect(ledgerKey(file)).rejects.toThrow();
  expect(statSync(file).size).toBe(0);
});

it('is created by one of several processes that start together, and all of them sign with it', async () => {
  const asking = `
    import { once } from 'node:events';
    import { ledgerKey } from ${JSON.stringify(new URL('./ledger-key.ts', import.meta.url).href)};
    process.stdout.write('ready\\n');
    await once(process.stdin, 'data');
    const keys = [];
    for (let n = 0; n < ${KEYS}; n += 1) keys.push(await ledgerKey(${JSON.stringify(folder)} + '/key-' + n));
    process.stdout.write(JSON.stringify(keys.map(({ public_key }) => public_key.toString('hex'))), () => process.exit(0));`;
  const children = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', asking]);
    let said = '';
    const ready = once(child.stdout, 'data');
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
    });
    return { child, ready, ended: once(child, 'close').then(() => JSON.parse(said.replace('ready\n', '')) as string[]) };
  });
  await Promise.all(children.map(({ ready }) => ready));
  for (const { child } of children) child.stdin.write('go');
  const [first, ...others] = await Promise.all(children.map(({ ended }) => ended));
  expect(first).toHaveLength(KEYS);
  expect(others).toEqual([first, first, first]);
  const stored = await Promise.all(
    Array.from({ length: KEYS }, async (_, n) => publicOf(await ledgerKey(join(folder, `key-${n}`)))),
  );
  expect(stored).toEqual(first);
  expect(readdirSync(folder)).toHaveLength(KEYS);
});
