import { type ContentKeys, KeyTree } from '@svc/kernel';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { assertOutside } from './key-files.ts';
import { changeSecretFile, secretFile } from './secret-file.ts';

type StoreSettings = ResolvedConfig['store'];

/** The keys that content is encrypted with: the operator's, or one that this gateway keeps and can let forget. */
export async function contentKeys(settings: StoreSettings, db: RunsDb): Promise<ContentKeys> {
  const { content_key, older_content_keys: older, content_key_file } = settings;
  if (content_key !== null) return { newest: content_key, older, forget: null };
  // A temporary runs-db ends with the process, so its key need not be stored.
  if (db.is_temporary) return forgetful(KeyTree.generate(), older, async (key, leaves) => key.without(...leaves));
  assertOutside('the content key', content_key_file, db);
  const purpose = {
    what: 'the content key',
    remedy: 'set store.content_key or store.content_key_file, or let this user write there',
  };
  const key = parse(content_key_file, await secretFile(content_key_file, fileText(KeyTree.generate()), purpose));
  return forgetful(key, older, async ({ id }, leaves) => {
    let left = key;
    await changeSecretFile(content_key_file, (text) => {
      // Another process may have changed it since.
      const kept = parse(content_key_file, text);
      if (kept.id !== id) throw new Error(`${content_key_file} no longer holds the key read at startup`);
      left = kept.without(...leaves);
      return left === kept ? null : fileText(left);
    });
    return left;
  });
}

function forgetful(
  first: KeyTree,
  older: readonly KeyTree[],
  without: (key: KeyTree, leaves: readonly string[]) => Promise<KeyTree>,
): ContentKeys {
  let newest = first;
  return {
    get newest() {
      return newest;
    },
    older,
    forget: async (leaves) => {
      newest = await without(newest, leaves);
    },
  };
}

/** As JSON, so that `secret://file/content.key#key` names it when it has become an older one. */
function fileText(key: KeyTree): string {
  return `${JSON.stringify({ key: String(key) })}\n`;
}

function parse(file: string, text: string): KeyTree {
  try {
    const content: unknown = JSON.parse(text);
    const written = typeof content === 'object' && content !== null && 'key' in content ? content.key : null;
    const key = typeof written === 'string' ? KeyTree.parse(written) : null;
    if (key !== null) return key;
  } catch {
    // JSON.parse quotes the file in its message.
  }
  throw new Error(`${file} does not contain a content key: restore the original file`);
}
