export { KeyNodes, leafPlace, type Place, placeAbove } from './key-nodes.ts';
export { type ContentKey, type ContentKeys, KeyTree } from './key-tree.ts';
export { keyGone, NamespaceKeys } from './namespace-keys.ts';
export { leftOutOf, responseText } from './run-content.ts';
export { isSealed, openText, sealText } from './sealed-text.ts';
export { UnknownContentKey } from './unknown-content-key.ts';
