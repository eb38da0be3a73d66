import type { KeyObject } from 'node:crypto';
import type { Logger, Store } from '@svc/contracts';
import { openNote, parseCheckpoint, parseVerifierKey, type Signer, verifierKey } from '@svc/ledger';
import { CHECKPOINT } from '../tree/keeper.ts';

/** Where the newest key's public form is remembered. */
const NEWEST_KEY = 'ledger/newest-key';

/** A key that is made at the first start, and kept outside the store. */
export interface OwnKey {
  /** Where, for people. */
  readonly file: string;
  /** Null if it was not made yet, or was lost. */
  read(): Promise<KeyObject | null>;
  /** Of several processes of one machine that make it at once, all get the same. */
  make(): Promise<KeyObject>;
}

interface SigningEnv {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly logger: Logger;
  readonly origin: string;
}

/**
 * Who signs checkpoints, the newest key first. Keys of the configuration are used as they are; a change of the newest is said. A key of
 * one's own is made only for a ledger that nobody has signed yet: else a second machine, or one that lost its key, would go on with one that
 * no auditor knows.
 * @throws {Error} with the remedy, where an own key is not the one that signed this ledger
 */
export async function signersOf(keys: readonly KeyObject[] | OwnKey, env: SigningEnv): Promise<readonly Signer[]> {
  const own = 'read' in keys ? keys : null;
  const signers = (own === null ? (keys as readonly KeyObject[]) : [await ownKey(own, env)]).map((privateKey) => ({
    name: env.origin,
    privateKey,
  }));
  const verifiers = signers.map(verifierKey);
  env.logger.info({ event: 'ledger_keys', origin: env.origin, verifier_keys: verifiers });
  await note(verifiers[0] ?? '', own, env);
  return signers;
}

async function ownKey(own: OwnKey, { store }: SigningEnv): Promise<KeyObject> {
  const key = await own.read();
  const signed = await signature(store);
  if (key === null && signed !== null) throw refusal(`${own.file} does not exist`);
  if (key !== null && signed !== null && !signed(key)) throw refusal(`${own.file} contains a different key`);
  return key ?? own.make();
}

/** Whether a key is the one that signed last; null where nothing was signed. Origins change, and names of keys with them. */
async function signature(store: SigningEnv['store']): Promise<((key: KeyObject) => boolean) | null> {
  const newest = await store.readMeta(NEWEST_KEY);
  if (newest !== null) {
    const { name } = parseVerifierKey(newest);
    return (privateKey) => verifierKey({ name, privateKey }) === newest;
  }
  // Signed by a release that did not remember its key.
  const checkpoint = await store.readMeta(CHECKPOINT);
  if (checkpoint === null) return null;
  const { origin: name } = parseCheckpoint(openNote(checkpoint, []).text);
  return (privateKey) => openNote(checkpoint, [parseVerifierKey(verifierKey({ name, privateKey }))]).signedBy.length > 0;
}

/** An auditor who checks with the previous key would find nothing signed by it, so the change must be reported. */
async function note(newest: string, own: OwnKey | null, { store, logger }: SigningEnv): Promise<void> {
  const before = await store.readMeta(NEWEST_KEY);
  if (before === newest) return;
  if (before !== null && !isSameKey(before, newest)) logger.warn({ event: 'ledger_key_changed', before, now: newest });
  const written = await store.writeMeta(NEWEST_KEY, before, newest);
  if (written || own === null) return;
  // Another machine began at the same moment, with a key of its own.
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
