import { CheckpointPin, type LedgerOptions } from '@svc/kernel';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { ledgerFiles } from '../keys/key-files.ts';
import { ledgerKey, readLedgerKey } from '../keys/ledger-key.ts';

export function ledgerOptions(config: ResolvedConfig, runs_db: RunsDb): LedgerOptions {
  const { ledger } = config;
  const { key: file, checkpoint } = ledgerFiles(config, runs_db);
  const pinned_checkpoint_file = checkpointPin(ledger.pinned_checkpoint_file, checkpoint, runs_db);
  if (ledger.signing_keys.length > 0) return { ...ledger, pinned_checkpoint_file };
  const signing_keys = { file, read: () => readLedgerKey(file), make: () => ledgerKey(file) };
  return { ...ledger, signing_keys, pinned_checkpoint_file };
}

function checkpointPin(named: string | null | false, unnamed: string, { is_temporary }: RunsDb): CheckpointPin | null {
  if (typeof named === 'string') return new CheckpointPin(named);
  // What is gone at the stop cannot be set back.
  return named === false || is_temporary ? null : new CheckpointPin(unnamed, 'records');
}
