/** Whether two digits are a valid day of the month. */
export function isDay(digits: string): boolean {
  const day = Number(digits);
  return day >= 1 && day <= 31;
}
