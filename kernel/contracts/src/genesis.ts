/** `prev_hash` of the first record. */
export const GENESIS = 'genesis';
