/** The name of a thrown value, or `unknown`. A name never contains caller text, but a message may. */
export function errorName(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.name : undefined;
    return typeof name === 'string' ? name : 'unknown';
  } catch {
    return 'unknown';
  }
}

export function errorMessage(error: unknown, otherwise = 'unknown'): string {
  return error instanceof Error ? error.message : otherwise;
}
