import { isObject, type JsonObject } from '@svc/contracts';
import type { Path } from './diagnostic.ts';
import { propertySchema } from './property-schema.ts';

/** All values that the schema marks with `writeOnly`. */
export function writeOnlyParts(schema: unknown, value: unknown): Generator<{ path: Path; value: unknown }> {
  return partsOf(schema, value, ({ writeOnly }) => writeOnly === true);
}

/** All values that a `writeOnly` schema describes, in any variant of a union. */
export function* partsOf(
  schema: unknown,
  value: unknown,
  isWanted: (schema: JsonObject) => boolean,
  path: Path = [],
): Generator<{ path: Path; value: unknown }> {
  if (!isObject(schema) || value === undefined) return;
  if (isWanted(schema)) yield { path, value };
  for (const variant of [schema.anyOf, schema.oneOf, schema.allOf].filter(Array.isArray).flat()) {
    yield* partsOf(variant, value, isWanted, path);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* partsOf(schema.items, item, isWanted, [...path, index]);
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value))
      yield* partsOf(propertySchema(schema, key), child, isWanted, [...path, key]);
  }
}

/** Options without their `writeOnly` values, for a digest. */
export function redactForDigest(options: JsonObject, schema: unknown): JsonObject {
  const secret = new Set([...writeOnlyParts(schema, options)].map(({ path }) => JSON.stringify(path)));
  const keep = (value: unknown, path: Path): unknown => {
    const isKept = (key: string | number) => !secret.has(JSON.stringify([...path, key]));
    if (Array.isArray(value)) return value.flatMap((item, index) => (isKept(index) ? [keep(item, [...path, index])] : []));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, child]) => (isKept(key) ? [[key, keep(child, [...path, key])]] : [])),
    );
  };
  const kept = keep(options, []);
  return isObject(kept) ? kept : {};
}
