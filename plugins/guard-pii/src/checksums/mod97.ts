/** Whether an IBAN in its electronic form (upper case, no spaces) leaves 1 when divided by 97 (ISO 13616). */
export function isMod97(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
