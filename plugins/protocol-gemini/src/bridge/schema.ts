import { isObject, type JsonValue } from '@svc/sdk';
import { exactDigits } from '@svc/sdk/json';

/** Below these keys, the caller chooses the names of the schemas. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Values below these keys are not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'required', 'default', 'const', 'example', 'examples', 'propertyOrdering']);
const COUNTS: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength']);

/** Converts Google's form of a schema to JSON Schema. Google writes types in capitals, `nullable` as a keyword, and counts as strings. */
export function jsonSchema(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(jsonSchema);
  if (!isObject(schema) || exactDigits(schema) !== null) return schema;
  const { nullable, propertyOrdering: _, ...rest } = schema;
  const entries = Object.entries(rest).map(([key, value]) => [key, memberOf(key, value)]);
  const plain = Object.fromEntries(entries);
  return nullable === true && typeof plain.type === 'string' ? { ...plain, type: [plain.type, 'null'] } : plain;
}

function memberOf(key: string, value: JsonValue): JsonValue {
  if (key === 'type' && typeof value === 'string') return value.toLowerCase();
  if (VALUES.has(key)) return value;
  if (COUNTS.has(key) && typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  if (NAMED.has(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonSchema(member)]));
  return jsonSchema(value);
}
