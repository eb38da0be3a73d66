import { isObject, type JsonObject } from '@svc/contracts';

/** The schema of the property `key`: its own, or else the one for all other keys. */
export function propertySchema(schema: JsonObject, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  return isObject(patternProperties) ? Object.values(patternProperties)[0] : additionalProperties;
}
