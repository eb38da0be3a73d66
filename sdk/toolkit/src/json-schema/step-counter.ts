import { isObject } from '@svc/sdk';

/** Maximum number of subschemas that are evaluated for one text. A schema with nested alternatives needs many. */
const MAX_STEPS = 500_000;

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose members are schemas with arbitrary names. */
const NAMED = new Set(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']);

/**
 * Limits the work of a validator. With a recursive `anyOf`, the time and the number of collected errors are exponential in the depth of the text. A
 * `$comment` in every subschema makes ajv call {@link step}.
 */
export class StepCounter {
  #steps = 0;

  begin(): void {
    this.#steps = 0;
  }

  /** @throws {RangeError} if there are too many steps */
  readonly step = (): void => {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new RangeError('checking a text against the schema takes too many steps');
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
