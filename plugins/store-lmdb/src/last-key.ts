/** Part of a key that sorts after every name that `checkStoreName` accepts. */
export const LAST = '\u{10ffff}';
