import type { TSchema } from 'typebox';
import { isObject } from './json.ts';

/** The error and the remedy for a schema that {@link isOptionsSchema} rejects. */
export const OPTIONS_FAULT = [
  'its options schema allows unknown keys, or is not an object schema',
  'use Type.Object(…, { additionalProperties: false })',
] as const;

/** Whether a value can be the `options` of a plugin. Schemas that allow additional properties are rejected: a misspelt option would go unnoticed. */
export function isOptionsSchema(value: unknown): value is TSchema {
  return isObject(value) && value.type === 'object' && isObject(value.properties) && value.additionalProperties === false;
}

/** Thrown when a plugin is defined with a schema that {@link isOptionsSchema} rejects. */
export class OptionsSchemaError extends TypeError {
  override readonly name = 'OptionsSchemaError';

  constructor() {
    super(OPTIONS_FAULT.join('; '));
  }
}

/** Compares the name, because a plugin may bring its own copy of the SDK. */
export function isOptionsSchemaError(error: unknown): error is OptionsSchemaError {
  return error instanceof Error && error.name === 'OptionsSchemaError';
}
