/** Part of a key that sorts after every name that `checkStoreName` lets through. */
export const LAST = '\u{10ffff}';
