import { JsonCounter } from '@svc/contracts';
import { compileSchema, type Validator } from './validator.ts';

export interface ValidateTask {
  /** The schema as JSON text, which is faster to pass to a thread than an object. Null: any JSON is valid. */
  readonly schema: string | null;
  readonly texts: readonly string[];
}

export const MISMATCHES = ['not-json', 'too-large', 'schema-mismatch'] as const;

/** A violation of the schema. `at`: the name of the finding. */
export interface Mismatch {
  readonly code: (typeof MISMATCHES)[number];
  readonly at: string;
}

/** Text that does not begin with a bracket has at most one JSON value. */
const MAY_BE_LARGE = /^[ \t\n\r]*[[{]/;

/** Compiled once per thread, because configurations have few schemas. */
const validators = new Map<string, Validator>();

/**
 * Runs in a worker thread. Yields after each text, and returns a mismatch or null for each.
 * @throws if a text is too much work
 */
export function* validate({ schema, texts }: ValidateTask): Generator<unknown, (Mismatch | null)[]> {
  const validator = schema === null ? null : validatorOf(schema);
  const counter = new JsonCounter();
  const mismatches: (Mismatch | null)[] = [];
  for (const text of texts) {
    mismatches.push(mismatchOf(text, validator, counter));
    yield;
  }
  return mismatches;
}

function validatorOf(schema: string): Validator {
  const validator = validators.get(schema) ?? compileSchema(JSON.parse(schema));
  validators.set(schema, validator);
  return validator;
}

/** @param counter counts the JSON of all texts, before it is parsed */
function mismatchOf(text: string, validator: Validator | null, counter: JsonCounter): Mismatch | null {
  if (MAY_BE_LARGE.test(text) && counter.text(text) !== null) return { code: 'too-large', at: 'too-large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'not-json', at: 'not-json' };
  }
  const at = validator?.(value) ?? null;
  return at === null ? null : { code: 'schema-mismatch', at };
}
