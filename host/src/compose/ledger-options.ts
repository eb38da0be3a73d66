import type { LedgerOptions } from '@svc/runtime';
import { CheckpointPin } from '@svc/runtime/records';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { ledgerFiles } from '../keys/key-files.ts';
import { ledgerKey, readLedgerKey } from '../keys/ledger-key.ts';
import { TimestampClient } from '../timestamps/timestamp-client.ts';
import { WitnessClient } from '../witness/witness-client.ts';

/** @param send for requests to witnesses and the time-stamp authority */
export function ledgerOptions(
  config: ResolvedConfig,
  runs_db: RunsDb,
  send: typeof fetch,
  not_signed: LedgerOptions['not_signed'],
): LedgerOptions {
  const { origin, pinned_checkpoint_file } = config.ledger;
  const others = { witnessing: witnessingOf(config, send), timestamping: timestampingOf(config, send) };
  const checkpoint_pin = checkpointPin(pinned_checkpoint_file, ledgerFiles(config, runs_db).checkpoint, runs_db);
  return { origin, signing_keys: signingKeys(config, runs_db), not_signed, checkpoint_pin, ...others };
}

/** The keys of the configuration, or the gateway's own. */
export function signingKeys(config: ResolvedConfig, runs_db: RunsDb): LedgerOptions['signing_keys'] {
  const { signing_keys } = config.ledger;
  if (signing_keys.length > 0) return signing_keys;
  const { key: file } = ledgerFiles(config, runs_db);
  return { file, read: () => readLedgerKey(file), make: () => ledgerKey(file) };
}

function witnessingOf({ ledger }: ResolvedConfig, send: typeof fetch): LedgerOptions['witnessing'] {
  if (ledger.witnesses.length === 0) return null;
  const witnesses = ledger.witnesses.map(({ url, verifier }) => new WitnessClient(url, verifier, send));
  return { witnesses, policy: ledger.witness_policy };
}

function timestampingOf({ ledger: { timestamps } }: ResolvedConfig, send: typeof fetch): LedgerOptions['timestamping'] {
  if (timestamps === null) return null;
  const { url, roots, every_ms, max_age_ms } = timestamps;
  return { authority: new TimestampClient(url, roots, send), every_ms, max_age_ms };
}

function checkpointPin(named: string | null | false, unnamed: string, { is_temporary }: RunsDb): CheckpointPin | null {
  if (typeof named === 'string') return new CheckpointPin(named);
  // A temporary ledger cannot be replaced by an older copy.
  return named === false || is_temporary ? null : new CheckpointPin(unnamed, 'records');
}
