/** Includes digits, sign and point. A longer number (`temperature: 0.4111111111111111`) is checked like text. */
const MAX_LENGTH = 7;

export function fitsQuantity(digits: string): boolean {
  return digits.length <= MAX_LENGTH;
}
