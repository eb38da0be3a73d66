import { assertFewValues } from '../count-values.ts';
import { compileSchema, type Validator } from '../validator.ts';

export interface ValidateTask {
  /** JSON; a text crosses to a thread faster than what it says. Null: any JSON will do. */
  readonly schema: string | null;
  readonly answers: readonly string[];
}

/** What is wrong with an answer. `at`: what the finding is called. */
export interface Mismatch {
  readonly code: 'not-json' | 'schema-mismatch';
  readonly at: string;
}

/** Compiled once a thread; configurations have few. */
const validators = new Map<string, Validator>();

/** Runs in a worker thread. One mismatch or null for each answer. @throws where an answer is too much work */
export default function validate({ schema, answers }: ValidateTask): (Mismatch | null)[] {
  const validator = schema === null ? null : validatorOf(schema);
  return answers.map((answer) => mismatchOf(answer, validator));
}

function validatorOf(schema: string): Validator {
  const validator = validators.get(schema) ?? compileSchema(JSON.parse(schema));
  validators.set(schema, validator);
  return validator;
}

function mismatchOf(answer: string, validator: Validator | null): Mismatch | null {
  assertFewValues(answer);
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return { code: 'not-json', at: 'not-json' };
  }
  const at = validator?.(value) ?? null;
  return at === null ? null : { code: 'schema-mismatch', at };
}
