/** Anything can be thrown. An error's name contains no caller text; its message may. `unknown`: it has none that can be read. */
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
