import { JsonCounter } from '@svc/sdk/json';
import { compileSchema, type Validator } from '../validator.ts';

export interface ValidateTask {
  /** As JSON text, which is faster to pass to a thread than an object. Null: any JSON is valid. */
  readonly schema: string | null;
  readonly answers: readonly string[];
}

export const MISMATCHES = ['not-json', 'too-large', 'schema-mismatch'] as const;

/** A violation of the schema. `at`: name of the finding. */
export interface Mismatch {
  readonly code: (typeof MISMATCHES)[number];
  readonly at: string;
}

/** Text that does not begin with a bracket is at most a single JSON value. */
const MAY_BE_LARGE = /^[ \t\n\r]*[[{]/;

/** Compiled once per thread; configurations have few. */
const validators = new Map<string, Validator>();

/**
 * Runs in a worker thread. Returns one mismatch or null per answer, and lets other work run after each.
 * @throws if an answer takes too many steps
 */
export default function* validate({ schema, answers }: ValidateTask): Generator<unknown, (Mismatch | null)[]> {
  const validator = schema === null ? null : validatorOf(schema);
  const counter = new JsonCounter();
  const mismatches: (Mismatch | null)[] = [];
  for (const answer of answers) {
    mismatches.push(mismatchOf(answer, validator, counter));
    yield;
  }
  return mismatches;
}

function validatorOf(schema: string): Validator {
  const validator = validators.get(schema) ?? compileSchema(JSON.parse(schema));
  validators.set(schema, validator);
  return validator;
}

/** @param counter counts the JSON of all answers before it is parsed */
function mismatchOf(answer: string, validator: Validator | null, counter: JsonCounter): Mismatch | null {
  if (MAY_BE_LARGE.test(answer) && counter.text(answer) !== null) return { code: 'too-large', at: 'too-large' };
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return { code: 'not-json', at: 'not-json' };
  }
  const at = validator?.(value) ?? null;
  return at === null ? null : { code: 'schema-mismatch', at };
}
