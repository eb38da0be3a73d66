import { EMPTY_ROOT } from '@svc/ledger';
import { expect, it } from 'vitest';
import type { KeptCheckpoint } from './ledger-keys.ts';
import { asJson } from './ledger-words.ts';

const checkpoint = (size: number): KeptCheckpoint => ({
  origin: 'example.org/gateway',
  size,
  root: EMPTY_ROOT,
  file: `${size}.checkpoint`,
  note: '',
  signed_by: ['example.org/gateway+00000000'],
  cosigned_by: [{ name: 'witness.example', time: '2026-01-01T00:00:00.000Z' }],
  timestamp: { time: '2026-01-01T00:00:00.000Z', authority: 'CN=tsa' },
  extent: null,
});

it.each([
  [2, ['cosigned', 'timestamp']],
  [5, []],
])('a broken ledger is only proven up to its fault: a checkpoint of %i records', (size, proven) => {
  const fault = { seq: 3, through: 5, why: 'not_as_signed' } as const;
  const report = { records: 4, evidence: 0, head: 'genesis', root: EMPTY_ROOT, anchored: 2, fault };
  const verified = {
    verdict: 'broken',
    report,
    log: 'ledger',
    operations: null,
    signatures: 0,
    knows_runs: false,
    fault,
  } as const;
  const said = JSON.parse(asJson({ ...verified, checkpoints: [checkpoint(size)] }));
  expect(said.proven.filter((code: string) => code !== 'chain' && code !== 'as_signed')).toEqual(proven);
});
