import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Changes an extracted pack. */
type Forge = (folder: string) => void;

const read = (name: string, of: string): string => readFileSync(join(of, name), 'utf8');
const cut =
  (name: string, change: (all: string[]) => string[]): Forge =>
  (of) => {
    const all = read(name, of).split('\n').slice(0, -1);
    writeFileSync(
      join(of, name),
      change(all)
        .map((line) => `${line}\n`)
        .join(''),
    );
  };
const replaced =
  (name: string, change: (text: string) => string): Forge =>
  (of) => {
    const text = read(name, of);
    expect(change(text)).not.toBe(text);
    writeFileSync(join(of, name), change(text));
  };
const info = (change: object) =>
  replaced('pack.json', (text) => `${JSON.stringify({ ...JSON.parse(text), ...change }, null, 2)}\n`);

/** Ways to forge a pack, and the check that finds it. */
export const FORGERIES: readonly [what: string, check: string, forge: Forge][] = [
  ['a record less in the middle', 'ledger', cut('ledger/records.jsonl', (all) => all.toSpliced(3, 1))],
  ['a record less at the beginning', 'ledger', cut('ledger/records.jsonl', (all) => all.slice(1))],
  ['a record less at the end', 'ledger', cut('ledger/records.jsonl', (all) => all.slice(0, -1))],
  ['a record twice', 'ledger', cut('ledger/records.jsonl', (all) => [...all, ...all.slice(-1)])],
  [
    'a changed record',
    'ledger',
    replaced('ledger/records.jsonl', (text) => text.replace('"status":"blocked"', '"status":"completed"')),
  ],
  ['an operation less', 'operations', cut('operations/records.jsonl', (all) => all.slice(0, -1))],
  [
    'a changed reason of an operation',
    'operations',
    replaced('operations/records.jsonl', (text) => text.replace('a drill', 'a thrill')),
  ],
  ['a record less in a session', 'sessions', cut('sessions.jsonl', (all) => all.slice(0, -1))],
  [
    'a session less',
    'sessions',
    cut('sessions.jsonl', (all) =>
      all.slice(
        0,
        all.findLastIndex((line) => line.startsWith('{"checkpoint"')),
      ),
    ),
  ],
  ['a decision less', 'derived', cut('approvals.jsonl', (all) => all.slice(0, -1))],
  ['a digest less', 'derived', cut('digests.jsonl', (all) => all.slice(0, -1))],
  ['a better table', 'derived', replaced('requirements.json', (text) => text.replace('"not_shown"', '"shown"'))],
  ['a better page', 'derived', replaced('index.html', (text) => text.replace('Not shown</span>', 'Shown</span>'))],
  ['a period of other digits', 'pack.json', info({ from: '\uff12026-01-01T00:00:00.000Z', to: '\uff12026-02-01T00:00:00.000Z' })],
  ['a period twice', 'pack.json', replaced('pack.json', (text) => text.replace('{', '{ "from": "2020-01-01T00:00:00.000Z",'))],
  ['another period', 'derived', info({ to: '2099-01-01T00:00:00.000Z' })],
  ['a shorter ledger', 'ledger', (of) => info({ last_record: JSON.parse(read('pack.json', of)).last_record - 1 })(of)],
  [
    'another key',
    'ledger',
    replaced('trust/ledger.vkey', () => 'example.org/other+46340e68+AeSy7biH54iSLSMx5iKE95qYDaWsG6afZnfSU10VtfWp\n'),
  ],
  [
    'a checkpoint of another size',
    'ledger',
    replaced('ledger/newest.checkpoint', (text) => text.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`)),
  ],
  [
    'a folder in place of a file',
    'pack.json',
    (of) => {
      rmSync(join(of, 'pack.json'));
      mkdirSync(join(of, 'pack.json'));
    },
  ],
  [
    'a record of a million levels',
    'ledger',
    cut('ledger/records.jsonl', (all) => [`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, ...all.slice(1)]),
  ],
];
