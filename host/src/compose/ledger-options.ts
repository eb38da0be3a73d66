import type { LedgerOptions } from '@svc/runtime';
import { CheckpointPin } from '@svc/runtime/records';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { ledgerFiles } from '../keys/key-files.ts';
import { ledgerKey, readLedgerKey } from '../keys/ledger-key.ts';

export function ledgerOptions(config: ResolvedConfig, runs_db: RunsDb): LedgerOptions {
  const { origin, signing_keys, pinned_checkpoint_file } = config.ledger;
  const { key: file, checkpoint } = ledgerFiles(config, runs_db);
  const checkpoint_pin = checkpointPin(pinned_checkpoint_file, checkpoint, runs_db);
  if (signing_keys.length > 0) return { origin, signing_keys, checkpoint_pin };
  const own_key = { file, read: () => readLedgerKey(file), make: () => ledgerKey(file) };
  return { origin, signing_keys: own_key, checkpoint_pin };
}

function checkpointPin(named: string | null | false, unnamed: string, { is_temporary }: RunsDb): CheckpointPin | null {
  if (typeof named === 'string') return new CheckpointPin(named);
  // A temporary ledger cannot be replaced by an older copy.
  return named === false || is_temporary ? null : new CheckpointPin(unnamed, 'records');
}
