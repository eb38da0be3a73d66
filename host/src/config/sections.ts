import { isObject } from '@svc/contracts';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { schemaProblems } from './check-schema.ts';
import { withDefaults } from './defaults.ts';

/** A map or list in the configuration file. An error in one entry does not prevent the others from being checked. */
export interface Section<T> {
  /** Every key, or list index. */
  readonly names: readonly string[];
  /** The entries that match the schema. */
  readonly valid: ReadonlyMap<string, T>;
  /** The valid entries, and those that become valid without their invalid keys. Only for finding more errors, never for running. */
  readonly repaired: ReadonlyMap<string, T>;
}

export function sectionOf<S extends TSchema>(schema: S, section: unknown): Section<Static<S>> {
  const valid = new Map<string, Static<S>>();
  const repaired = new Map<string, Static<S>>();
  const entries = typeof section === 'object' && section !== null ? Object.entries(section) : [];
  for (const [name, entry] of entries) {
    const rest = withoutFaults(schema, entry);
    if (Value.Check(schema, rest)) repaired.set(name, rest);
    if (Value.Check(schema, entry)) valid.set(name, entry);
  }
  return { names: entries.map(([name]) => name), valid, repaired };
}

function withoutFaults(schema: TSchema, entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const faulty = new Set(schemaProblems(schema, entry).map(({ path }) => path[0]));
  return withDefaults(schema, Object.fromEntries(Object.entries(entry).filter(([key]) => !faulty.has(key))));
}
