const ZERO = 48;

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** ASCII letters and digits. */
export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * Word characters: letters and digits of scripts that separate words with spaces. Scripts from Thai on (U+0E00) are excluded, so a number between
 * Chinese characters counts as a whole word.
 */
export function isWordCharacter(code: number): boolean {
  return isAlphanumeric(code) || (code >= 0xc0 && code < 0x0e00);
}
