import type { TSchema } from 'typebox';
import { isObject } from './json.ts';

/** What is wrong with a schema that {@link isOptionsSchema} refuses, and what to do. */
export const OPTIONS_FAULT = [
  'its options schema allows unknown keys, or is not an object schema',
  'use Type.Object(…, { additionalProperties: false })',
] as const;

/** Whether this may be the `options` of a plugin: without additional properties, a misspelt option would pass unnoticed. */
export function isOptionsSchema(value: unknown): value is TSchema {
  return isObject(value) && value.type === 'object' && isObject(value.properties) && value.additionalProperties === false;
}

/** Thrown where a plugin is defined with other options. */
export class OptionsSchemaError extends TypeError {
  override readonly name = 'OptionsSchemaError';

  constructor() {
    super(OPTIONS_FAULT.join('; '));
  }
}

/** By name, since a plugin may bring its own copy of the SDK. */
export function isOptionsSchemaError(error: unknown): error is OptionsSchemaError {
  return error instanceof Error && error.name === 'OptionsSchemaError';
}
