/** What is thrown may be anything. Its name says no text of a caller's; its message may. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

export function errorMessage(error: unknown, otherwise = 'unknown'): string {
  return error instanceof Error ? error.message : otherwise;
}
