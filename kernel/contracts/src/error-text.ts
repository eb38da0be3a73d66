/** Anything can be thrown. An error's name contains no caller text; its message may. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

export function errorMessage(error: unknown, otherwise = 'unknown'): string {
  return error instanceof Error ? error.message : otherwise;
}
