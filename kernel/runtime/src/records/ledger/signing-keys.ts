import type { Logger, SigningKey, Store } from '@svc/contracts';
import { openNote, parseCheckpoint, parseVerifierKey, type Signer, verifierKey } from '@svc/ledger';
import { CHECKPOINT } from '../tree/keeper.ts';
import { checkedKey } from './checked-key.ts';

/** Where the public form of the newest key is remembered. */
const NEWEST_KEY = 'ledger/newest-key';

/** A key that is created at the first start and kept outside the store. */
export interface OwnKey {
  /** The key's file, for people. */
  readonly file: string;
  /** The key. Null if it was never created, or was lost. */
  read(): Promise<SigningKey | null>;
  /** Creates the key. If several processes of one machine do so at once, all of them get the same key. */
  make(): Promise<SigningKey>;
}

interface SigningEnv {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly logger: Logger;
  readonly origin: string;
}

/** Keys of the configuration, newest first, or the gateway's own. */
export type SigningKeys = readonly SigningKey[] | OwnKey;

/**
 * The keys that sign checkpoints, newest first. Keys from the configuration are used as they are. The gateway creates its own key only for a ledger
 * that has not been signed yet. Otherwise a second machine, or one that lost its key, would continue with a key that no auditor knows.
 * @throws {Error} with the remedy, if the gateway's own key did not sign this ledger
 */
export async function signersOf(keys: SigningKeys, env: SigningEnv): Promise<readonly Signer[]> {
  const given = 'read' in keys ? [await ownKey(keys, env)] : keys;
  return given.map((key) => ({ name: env.origin, key: checkedKey(key) }));
}

/**
 * Remembers the newest key in use, and logs a change.
 * @throws {Error} with the remedy, if another machine began this ledger at the same moment with a key of its own
 */
export async function recordSigners(signers: readonly Signer[], keys: SigningKeys, env: SigningEnv): Promise<void> {
  const verifiers = signers.map(verifierKey);
  env.logger.info({ event: 'ledger_keys', origin: env.origin, verifier_keys: verifiers });
  await note(verifiers[0] ?? '', 'read' in keys ? keys : null, env);
}

async function ownKey(own: OwnKey, { store }: SigningEnv): Promise<SigningKey> {
  const key = await own.read();
  const signed = await signature(store);
  if (key === null && signed !== null) throw refusal(`${own.file} does not exist`);
  if (key !== null && signed !== null && !signed(key)) throw refusal(`${own.file} contains a different key`);
  return key ?? own.make();
}

/**
 * Returns a function that checks whether a key made the newest signature; null if nothing was signed. Ignores the keys' names, which change with the
 * origin.
 */
async function signature(store: SigningEnv['store']): Promise<((key: SigningKey) => boolean) | null> {
  const newest = await store.readMeta(NEWEST_KEY);
  if (newest !== null) {
    const { name } = parseVerifierKey(newest);
    return (key) => verifierKey({ name, key }) === newest;
  }
  // This checkpoint was signed by a release that did not remember its key.
  const checkpoint = await store.readMeta(CHECKPOINT);
  if (checkpoint === null) return null;
  const { origin: name } = parseCheckpoint(openNote(checkpoint, []).text);
  return (key) => openNote(checkpoint, [parseVerifierKey(verifierKey({ name, key }))]).signedBy.length > 0;
}

/** Reports a change of the key, because an auditor who checks with the previous key would find nothing signed by it. */
async function note(newest: string, own: OwnKey | null, { store, logger }: SigningEnv): Promise<void> {
  const before = await store.readMeta(NEWEST_KEY);
  if (before === newest) return;
  if (before !== null && !isSameKey(before, newest)) logger.warn({ event: 'ledger_key_changed', before, now: newest });
  const written = await store.writeMeta(NEWEST_KEY, before, newest);
  if (written || own === null) return;
  // Another machine started at the same moment with a different key.
  const first = await store.readMeta(NEWEST_KEY);
  if (first !== null && !isSameKey(first, newest)) throw refusal(`${own.file} contains a different key`);
}

function isSameKey(one: string, other: string): boolean {
  return parseVerifierKey(one).key.equals(parseVerifierKey(other).key);
}

function refusal(where: string): Error {
  const remedy = 'restore that file, or set the key in ledger.signing_keys. If the key is lost, set a new one there';
  return new Error(`this gateway does not have the key that signed this ledger (${where}): ${remedy}`);
}
