/** Of the two digits of a day in a number that holds a date of birth. */
export function isDay(digits: string): boolean {
  const day = Number(digits);
  return day >= 1 && day <= 31;
}
