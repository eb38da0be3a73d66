import type { Validator } from 'typebox/compile';

/**
 * The place in the schema that an answer differs from, such as `#/properties/result/anyOf/1/properties/verdict`. Of several places, the last of the most
 * specific ones. It contains no value and no name that the service chose.
 * @returns `#` if the answer matches
 */
export function wrongPlace(schema: Pick<Validator, 'Errors'>, answer: unknown): string {
  return schema.Errors(answer).reduce((place, { schemaPath }) => (schemaPath.length >= place.length ? schemaPath : place), '#');
}
