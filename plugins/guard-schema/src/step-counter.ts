import { isObject } from '@svc/sdk';

/** Subschemas that one answer may be held against; more is a schema that tries out alternatives within alternatives. */
const MAX_STEPS = 500_000;

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose members are schemas, under names of the operator's. */
const NAMED = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/**
 * Bounds the work of a validator: of a recursive `anyOf` it is exponential in the depth of the answer, in time and in the errors that it
 * keeps. A `$comment` in every subschema makes ajv call {@link step} there.
 */
export class StepCounter {
  #steps = 0;

  begin(): void {
    this.#steps = 0;
  }

  /** @throws {RangeError} */
  readonly step = (): void => {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new RangeError('the answer is too much work for the schema');
  };
}

/** The schema with a `$comment` in every subschema. */
export function commented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(commented);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([keyword, value]) => [keyword, commentedMember(keyword, value)]);
  return Object.fromEntries([['$comment', 'step'], ...members.filter(([keyword]) => keyword !== '$comment')]);
}

function commentedMember(keyword: string, value: unknown): unknown {
  if (DATA.has(keyword)) return value;
  if (!NAMED.has(keyword) || !isObject(value)) return commented(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, commented(schema)]));
}
