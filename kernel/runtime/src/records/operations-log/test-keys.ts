import { type ContentKeys, KeyTree } from '../../content/key-tree.ts';

/** Of all processes of a test. */
export const CONTENT_KEYS: ContentKeys = { newest: KeyTree.generate(), older: [], forget: null };
