/** Of an index entry, whose key says all. Made once: an empty string would be made into a new buffer for every entry. */
export const NO_VALUE = new Uint8Array();
