import { type ContentKeys, KeyTree, type Place } from '@svc/kernel';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { keyText, readContentKey } from '../key-storage/key-file.ts';
import { PartsInMemory } from '../key-storage/key-parts.ts';
import { secretFile } from '../key-storage/secret-file.ts';
import { SplitKey } from '../key-storage/split-key.ts';
import { assertOutside } from './key-files.ts';

type StoreSettings = ResolvedConfig['store'];

/** The keys that content is encrypted with: the operator's, or one that this gateway keeps and can let forget. */
export async function contentKeys(settings: StoreSettings, db: RunsDb): Promise<ContentKeys> {
  const { content_key, older_content_keys: older, content_key_file } = settings;
  if (content_key !== null) return { newest: content_key, older, forget: null };
  // A temporary runs-db ends with the process, so its key need not be stored.
  const newest = db.is_temporary ? keyInMemory() : await keyInFile(content_key_file, db);
  return { newest, older, forget: (leaves) => newest.forget(leaves) };
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

async function keyInFile(file: string, db: RunsDb): Promise<SplitKey> {
  assertOutside('the content key', file, db);
  await secretFile(file, keyText(KeyTree.generate()), {
    what: 'the content key',
    remedy: 'set store.content_key or store.content_key_file, or let this user write there',
  });
  return readContentKey(file);
}
