import type { JsonObject } from '@svc/contracts';
import { isObject } from './json-shape.ts';

/** What an object schema asks of the property `key`: its own entry, else that for all other keys. */
export function propertySchema(schema: JsonObject, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  return isObject(patternProperties) ? Object.values(patternProperties)[0] : additionalProperties;
}
