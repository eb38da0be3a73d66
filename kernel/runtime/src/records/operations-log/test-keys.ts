import { type ContentKeys, KeyTree } from '../../content/key-tree.ts';

/** All processes of a test use these keys. */
export const CONTENT_KEYS: ContentKeys = { newest: KeyTree.generate(), older: [], forget: null };
