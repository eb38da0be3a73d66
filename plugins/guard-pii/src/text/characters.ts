const ZERO = 48;

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** ASCII letters and digits. */
export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * What words are made of, so that something beside it is not whole: letters and digits of scripts that put spaces between words. Scripts
 * from Thai on (U+0E00) are left out: a number between Chinese characters is whole.
 */
export function isWordCharacter(code: number): boolean {
  return isAlphanumeric(code) || (code >= 0xc0 && code < 0x0e00);
}
