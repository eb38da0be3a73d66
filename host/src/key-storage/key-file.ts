import { readFile } from 'node:fs/promises';
import { KeyTree, type Place } from '@svc/runtime/content';
import { PartsInFolder, partsFolder } from './key-parts.ts';
import { assertPrivate } from './private-file.ts';
import { changeSecretFile } from './secret-file.ts';
import { emptyTop, isTop, type KeyTop, makeParts, partsOf, SplitKey } from './split-key.ts';

/** Marks the top of a key that has parts. Earlier releases, which do not support parts, refuse such a file. */
export const IN_PARTS = 'in-parts ';
const ID = /^[0-9a-f]{16}$/;

interface Parsed {
  readonly tree: KeyTree;
  readonly hasParts: boolean;
}

interface Read {
  readonly text: string;
  readonly tree: KeyTree;
}

/**
 * The file of a content key. Because of its JSON form, `secret://file/content.key#key` can refer to it once it is an older key. After an erasure, it
 * contains the top of a key whose parts are in a folder beside it.
 */
class KeyFile implements KeyTop {
  readonly parts: PartsInFolder;
  readonly #file: string;
  readonly #id: string;
  /** Cache of the last read, because the file is usually unchanged. */
  #read: Read | null = null;

  private constructor(file: string, id: string) {
    this.#file = file;
    this.#id = id;
    this.parts = new PartsInFolder(file, id);
  }

  /** @throws if the file contains something else, a part of it is missing, or other users may access it */
  static async open(file: string): Promise<KeyFile> {
    for (const part of [file, partsFolder(file)]) await assertPrivate(part);
    const { tree } = parse(file, await readFile(file, 'utf8'));
    const opened = new KeyFile(file, tree.id);
    const top = await opened.read();
    const names = await opened.parts.names();
    const missing = partsOf(top).find((name) => !names.has(name));
    if (missing === undefined) return opened;
    throw new Error(`part ${missing} of the content key is missing: restore the folder ${file}.parts together with ${file}`);
  }

  async read(): Promise<KeyTree> {
    return (await this.#current()).tree;
  }

  async remove(places: readonly Place[]): Promise<KeyTree> {
    for (;;) {
      const { text, tree } = await this.#current();
      const left = tree.remove(places);
      if (left === tree) return tree;
      // If the text differs, another change came first and may have removed more.
      await this.#change((found) => (found === text ? left : null));
    }
  }

  /** Reads the key. First splits a file of an earlier release into parts. */
  async #current(): Promise<Read> {
    for (;;) {
      const text = await readFile(this.#file, 'utf8');
      if (text === this.#read?.text) return this.#read;
      const { tree, hasParts } = this.#parse(text);
      if (hasParts || isTop(tree)) {
        this.#read = { text, tree };
        return this.#read;
      }
      const places = await makeParts(tree, this.parts);
      await this.#change((found) => (found === text ? tree.remove(places) : null));
    }
  }

  async #change(change: (text: string) => KeyTree | null): Promise<void> {
    await changeSecretFile(this.#file, (found) => {
      if (found === null) throw new Error(`${this.#file} was removed: restore it`);
      const top = change(found.toString());
      return top === null ? null : keyText(top, IN_PARTS);
    });
  }

  #parse(text: string): Parsed {
    const parsed = parse(this.#file, text);
    if (parsed.tree.id !== this.#id)
      throw new Error(`${this.#file} no longer contains the key that was read at startup: restore the original file`);
    return parsed;
  }
}

/** The content key in a file that a gateway created. @throws if the file contains no content key, or an incomplete one */
export async function readContentKey(file: string): Promise<SplitKey> {
  const kept = await KeyFile.open(file);
  return new SplitKey(await kept.read(), kept, kept.parts);
}

export function keyText(key: KeyTree, mark = ''): string {
  return `${JSON.stringify({ key: `${mark}${key}` })}\n`;
}

function parse(file: string, text: string): Parsed {
  try {
    const content: unknown = JSON.parse(text);
    const written = typeof content === 'object' && content !== null && 'key' in content ? content.key : null;
    const key = typeof written === 'string' ? parseKey(written) : null;
    if (key !== null) return key;
  } catch {
    // The message of JSON.parse quotes the file.
  }
  throw new Error(`${file} does not contain a content key: restore the original file`);
}

function parseKey(written: string): Parsed | null {
  const hasParts = written.startsWith(IN_PARTS);
  const text = hasParts ? written.slice(IN_PARTS.length) : written;
  const tree = hasParts && ID.test(text) ? emptyTop(text) : KeyTree.parse(text);
  return tree === null ? null : { tree, hasParts };
}
