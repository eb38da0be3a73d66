import { rm } from 'node:fs/promises';
import { type ContentKeys, KeyTree, type Place, UnknownContentKey } from '@svc/runtime/content';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { keyText, readContentKey } from '../key-storage/key-file.ts';
import { PartsInMemory } from '../key-storage/key-parts.ts';
import { secretFile } from '../key-storage/secret-file.ts';
import { SplitKey } from '../key-storage/split-key.ts';
import { assertOutside } from './key-files.ts';

type StoreSettings = ResolvedConfig['store'];

/** Closes the keys of this process. Also removes the key file, if this process created it. */
export interface KeptContentKeys extends ContentKeys {
  readonly made_file: string | null;
}

/** The keys that encrypt content: the operator's, or one that this gateway stores, which supports erasure. */
export async function contentKeys(settings: StoreSettings, db: RunsDb): Promise<KeptContentKeys> {
  const { content_key, older_content_keys: older, content_key_file } = settings;
  if (content_key !== null) return { newest: content_key, older, forget: null, made_file: null };
  // A temporary runs-db ends with the process, so its key need not be stored.
  const { newest, isMade } = db.is_temporary ? { newest: keyInMemory(), isMade: false } : await keyInFile(content_key_file, db);
  return { newest, older, forget: (leaves) => newest.forget(leaves), made_file: isMade ? content_key_file : null };
}

/** The keys with which content can be read. No file is created. @throws {Error} with the remedy, if there is none */
export async function existingContentKeys({
  content_key,
  older_content_keys,
  content_key_file,
}: StoreSettings): Promise<ContentKeys> {
  const newest =
    content_key ??
    (await readContentKey(content_key_file).catch((cause: unknown) => {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
      throw new Error(
        `the content key file ${content_key_file} does not exist: use --config with the configuration of the server`,
        {
          cause,
        },
      );
    }));
  return { newest, older: older_content_keys, forget: null };
}

function keyInMemory(): SplitKey {
  let top = KeyTree.generate();
  const kept = {
    read: async () => top,
    remove: async (places: readonly Place[]) => {
      top = top.remove(places);
      return top;
    },
  };
  return new SplitKey(top, kept, new PartsInMemory());
}

async function keyInFile(file: string, db: RunsDb): Promise<{ newest: SplitKey; isMade: boolean }> {
  assertOutside('the content key', file, db);
  const fresh = keyText(KeyTree.generate());
  const text = await secretFile(file, fresh, {
    what: 'the content key',
    remedy: 'set store.content_key or store.content_key_file, or give this user write access',
  });
  return { newest: await readContentKey(file), isMade: text === fresh };
}

/**
 * Opens a store with these keys. If the store needs another key, a new key file is removed again, because the next start would treat it as this
 * store's key.
 * @throws {Error} that explains how to restore the key, in place of {@link UnknownContentKey}
 */
export async function withKeysOf<T>(
  keys: KeptContentKeys,
  { content_key_file }: StoreSettings,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof UnknownContentKey)) throw error;
    const { made_file } = keys;
    if (made_file !== null) await rm(made_file, { force: true });
    const found = made_file === null ? 'this gateway has a different one' : `${made_file} does not exist`;
    throw new Error(
      `the runs-db is encrypted with the content key ${error.id}, but ${found}. Restore ${content_key_file} and the folder ${content_key_file}.parts from the backup of your keys, or set store.content_key. If you replaced the key, list the previous one in store.older_content_keys. Gateways that share a store need the same newest key. If the key is permanently lost, svc runs erase --all --runs-db … deletes the unreadable content and keeps the evidence`,
    );
  }
}
