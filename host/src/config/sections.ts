import { isObject } from '@svc/contracts';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { schemaProblems } from './check-schema.ts';
import { withDefaults } from './defaults.ts';

/** A map or list of the file. What is wrong in one entry keeps nobody from checking the rest. */
export interface Section<T> {
  /** Every key; positions of a list. */
  readonly names: readonly string[];
  /** The entries that fit the schema. */
  readonly valid: ReadonlyMap<string, T>;
  /** These, and the others without their faulty keys as far as they then fit: to look for more faults in, never to run. */
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
