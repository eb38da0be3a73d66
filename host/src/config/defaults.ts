import { isObject, type JsonObject } from '@svc/contracts';
import { Value } from 'typebox/value';
import { propertySchema } from './property-schema.ts';

/**
 * A copy of the value in which missing members have the schema's defaults. Uses plain JSON Schema keywords, because a plugin's schema may come from
 * another copy of TypeBox, or be written by hand.
 */
export function withDefaults(schema: unknown, value: unknown): unknown {
  const keywords = isObject(schema) ? schema : {};
  const present = value === undefined ? structuredClone(keywords.default) : value;
  if (Array.isArray(present)) return present.map((item) => withDefaults(keywords.items, item));
  if (!isObject(present)) return present;
  const variants = [keywords.anyOf, keywords.oneOf].find(Array.isArray) ?? [];
  for (const variant of variants) {
    const filled = withDefaults(variant, present);
    if (isObject(variant) && Value.Check(variant, filled)) return filled;
  }
  const named = variants.find((variant) => isNamedBy(variant, present));
  if (named !== undefined) return withDefaults(named, present);
  const keys = new Set([...Object.keys(present), ...Object.keys(isObject(keywords.properties) ? keywords.properties : {})]);
  return Object.fromEntries(
    [...keys]
      .map((key) => [key, withDefaults(propertySchema(keywords, key), Object.hasOwn(present, key) ? present[key] : undefined)])
      .filter(([, child]) => child !== undefined),
  );
}

/** Whether the value has a constant of the variant, such as its `type`. An error in another member then adds no errors about defaults. */
function isNamedBy(variant: unknown, value: JsonObject): boolean {
  const properties = isObject(variant) && isObject(variant.properties) ? variant.properties : {};
  return Object.entries(properties).some(([key, schema]) => isObject(schema) && 'const' in schema && schema.const === value[key]);
}
