/** The value of index entries, which only need a key. Shared: an empty string would be converted to a new buffer for every entry. */
export const NO_VALUE = new Uint8Array();
