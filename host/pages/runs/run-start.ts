/** When a run was created: its id is a UUIDv7, which begins with the milliseconds. Null for another id. */
export function startOf(run_id: string): string | null {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(run_id) ?? [];
  return high === '' ? null : new Date(Number.parseInt(high + low, 16)).toISOString();
}
