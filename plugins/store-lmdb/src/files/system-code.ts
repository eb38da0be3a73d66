/** The `code` that Node gives file-system errors. Null for anything else. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : null;
}
