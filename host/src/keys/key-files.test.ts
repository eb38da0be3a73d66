import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runsDb } from '../config/runs-db.ts';
import { assertOutside, ledgerFiles } from './key-files.ts';

let home: string;
const at = (...names: string[]): string => join(home, ...names);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-key-files-'));
  for (const name of ['etc', 'lib', 'keys']) mkdirSync(at(name));
});
afterEach(() => rmSync(home, { recursive: true }));

const places = (content_key_file: string) => ({
  directory: at('etc'),
  store: { content_key: null, older_content_keys: [], content_key_file },
});

it('keeps the signing key and the checkpoint in the folder of the content key, wherever the runs are stored', () => {
  const folder = ledgerFiles(places(at('keys', 'content.key')), runsDb(at('lib', 'runs-db')));
  expect(folder).toEqual({ key: at('keys', 'runs-db.key'), checkpoint: at('keys', 'runs-db.checkpoint') });
  const database = ledgerFiles(places(at('keys', 'content.key')), runsDb('postgres://svc@db.internal/svc'));
  expect(database).toEqual({ key: at('keys', 'ledger.key'), checkpoint: at('keys', 'ledger.checkpoint') });
});

it.each([
  ['a folder of runs', 'lib/runs-db', 'lib/runs-db.key'],
  ['a database', 'postgres://svc@db.internal/svc', 'etc/ledger.key'],
])('uses the key that an earlier release created for %s, unless the folder of keys has one', (_, named, former) => {
  const db = runsDb(named.startsWith('postgres') ? named : at(named));
  writeFileSync(at(former), '');
  expect(ledgerFiles(places(at('keys', 'content.key')), db).key).toBe(at(former));
  const mine = at('keys', `${db.ledger_name}.key`);
  writeFileSync(mine, '');
  expect(ledgerFiles(places(at('keys', 'content.key')), db).key).toBe(mine);
});

it('keeps all files of a temporary runs database in its folder', () => {
  const { key } = ledgerFiles(places(at('keys', 'content.key')), runsDb(at('lib', 'runs-db'), true));
  expect(key).toBe(at('lib', 'runs-db.key'));
});

it.each(['runs-db', 'runs-db/below', 'runs-db.rag', 'link'])('creates no key in %s, which a backup would include', (name) => {
  const db = runsDb(at('lib', 'runs-db'));
  // Before the runs-db exists, and after.
  for (const isThere of [false, true]) {
    if (isThere) mkdirSync(at('lib', 'runs-db', 'below'), { recursive: true });
    if (isThere && name === 'link') symlinkSync(at('lib', 'runs-db'), at('lib', 'link'));
    if (!isThere && name === 'link') continue;
    const file = at('lib', name, 'content.key');
    expect(() => assertOutside('the content key', file, db)).toThrow('runs-db');
    expect(() => ledgerFiles(places(file), db)).toThrow('runs-db');
  }
});

it('distinguishes folders whose names begin alike', () => {
  expect(() =>
    assertOutside('the content key', at('lib', 'runs-db-keys', 'content.key'), runsDb(at('lib', 'runs-db'))),
  ).not.toThrow();
});
