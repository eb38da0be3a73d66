import type { Finding } from '@svc/sdk';

/** A finding for each name, with the number of times that it occurs. */
export function counted(names: readonly string[]): Finding[] {
  return Array.from(
    Map.groupBy(names, (name) => name),
    ([entity_type, { length: count }]) => ({ entity_type, count }),
  );
}
