/** FNV-1a with 32 bits, over code units in lower case. Words of lists and of texts are compared by this hash. */
export const FIRST_HASH = 0x811c9dc5;
export const HASH_FACTOR = 0x01000193;
