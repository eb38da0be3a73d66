import { resolve } from 'node:path';
import { type ContentKey, KeyTree } from '@svc/runtime/content';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { IN_PARTS, readContentKey } from '../key-storage/key-file.ts';
import { exposure } from '../key-storage/private-file.ts';
import type { Path } from './diagnostic.ts';
import type { NetworkContext } from './read-network.ts';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';
import { isSecretText, parseSecretReference } from './secret-reference.ts';

export const StoreSchema = closed(
  {
    content_key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description:
          'Key that encrypts the content of runs, as a secret:// reference: 64 hex characters (`openssl rand -hex 32`). Default: a key that is generated at the first start and stored in `content_key_file`; `svc runs erase` then also makes content in backups unreadable.',
      }),
    ),
    older_content_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description: 'Previous content keys. They decrypt old content until all of it is re-encrypted with the newest key.',
    }),
    content_key_file: Type.String({
      minLength: 1,
      default: 'content.key',
      description:
        'File of the content key that is generated at the first start. The same folder holds the generated signing key and the newest checkpoint of the ledger. The first erasure adds the folder `<file>.parts`, which is part of the key. Keep both out of backups of the runs-db.',
    }),
  },
  { default: {}, description: 'How temporary content is stored: paused requests, stored and recorded answers.' },
);

/** The section `store`, with its keys parsed. */
export interface StoreSettings {
  /** Null: the host creates one. */
  readonly content_key: ContentKey | null;
  readonly older_content_keys: readonly ContentKey[];
  /** Absolute path. */
  readonly content_key_file: string;
}

export interface StorePart {
  readonly store: StoreSettings;
}

export const readStore: Reader<StorePart> = async (section, context) => {
  const store = await readStoreSettings(section, context);
  return store && { store };
};

/** Null if the section is invalid, which is reported. */
export async function readStoreSettings(section: unknown, context: NetworkContext): Promise<StoreSettings | null> {
  if (!Value.Check(StoreSchema, section)) return null;
  const content_key_file = resolve(context.directory, section.content_key_file);
  const { content_key, older_content_keys } = section;
  const exposed = content_key === undefined ? await exposure(content_key_file) : null;
  if (exposed !== null) {
    context.report.error('SVC-POL-008', ['store', 'content_key_file'], exposed);
    return null;
  }
  const written: { path: Path; text: string }[] = [
    ...(content_key === undefined ? [] : [{ path: ['store', 'content_key'], text: content_key }]),
    ...older_content_keys.map((text, index) => ({ path: ['store', 'older_content_keys', index], text })),
  ];
  const keys = await Promise.all(written.map(({ path, text }) => readKey(text, path, context)));
  if (keys.includes('wrong')) return null;
  const read = keys.filter((key) => typeof key !== 'string');
  if (content_key === undefined || read.length === 0) return { content_key: null, older_content_keys: read, content_key_file };
  return { content_key: read[0] ?? null, older_content_keys: read.slice(1), content_key_file };
}

/** `unresolved` if secrets are not to be resolved and this one is not readable here. */
async function readKey(text: string, path: Path, context: NetworkContext): Promise<ContentKey | 'wrong' | 'unresolved'> {
  const { report, secrets, resolveSecrets } = context;
  if (!isSecretText(text)) {
    report.error('SVC-POL-008', path, 'a content key must not be in the configuration', {
      expected: 'secret://<backend>/<path>#<key>',
    });
    return 'wrong';
  }
  if (!(await secrets.check(text, path))) return 'wrong';
  const value = resolveSecrets ? await secrets.resolve(text, path) : await secrets.atHand(text);
  if (value === null) return 'unresolved';
  if (typeof value !== 'string') return 'wrong';
  if (value.startsWith(IN_PARTS)) return resolveSecrets ? ((await readParts(text, path, context)) ?? 'wrong') : 'unresolved';
  const key = KeyTree.parse(value);
  if (key === null) report.error('SVC-POL-001', path, 'not 64 hex characters (openssl rand -hex 32)');
  return resolveSecrets ? (key ?? 'wrong') : 'unresolved';
}

/** The key in a file that has parts beside it. */
async function readParts(text: string, path: Path, { report, directory }: NetworkContext): Promise<ContentKey | null> {
  const reference = parseSecretReference(text);
  if (reference?.backend !== 'file') {
    report.error(
      'SVC-POL-001',
      path,
      'after an erasure the content key consists of several files, so it cannot be given as one value',
      {
        expected: 'secret://file/<path of content.key>#key, with its folder content.key.parts beside it',
      },
    );
    return null;
  }
  return readContentKey(resolve(directory, reference.path)).catch((error: unknown) => {
    report.error('SVC-POL-008', path, error instanceof Error ? error.message : 'the content key cannot be read');
    return null;
  });
}
