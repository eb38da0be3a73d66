import { defineGuard, type GuardResult, JsonCounter } from '@svc/sdk/plugin';
import { answersOf } from './answers.ts';
import { Options } from './options.ts';
import { schemaOf } from './source.ts';
import { compileSchema, type Validator } from './validator.ts';

interface Fault {
  readonly code: 'no-text' | 'not-json' | 'too-large' | 'schema-mismatch';
  /** What the finding is called. */
  readonly at: string;
}

/** Text that begins with no bracket is one JSON value at most. */
const MAY_BE_LARGE = /^[ \t\n\r]*[[{]/;

const HINT = { text: "The model's answer does not have the form that this route asks for; asking again may give one that has." };

/** @param counter counts the JSON of all texts of an answer, before anything is built of it */
function faultOf(text: string | null, validate: Validator | null, allow_no_text: boolean, counter: JsonCounter): Fault | null {
  if (text === null) return allow_no_text ? null : { code: 'no-text', at: 'no-text' };
  if (MAY_BE_LARGE.test(text) && counter.text(text) !== null) return { code: 'too-large', at: 'too-large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'not-json', at: 'not-json' };
  }
  const at = validate?.(value) ?? null;
  return at === null ? null : { code: 'schema-mismatch', at };
}

function findingsOf(faults: readonly Fault[]): GuardResult['findings'] {
  const counts = new Map<string, number>();
  for (const { at } of faults) counts.set(at, (counts.get(at) ?? 0) + 1);
  return [...counts].map(([entity_type, count]) => ({ entity_type, count }));
}

/** The guard `schema`: answers must be JSON, or match a JSON Schema. See README.md. */
export default defineGuard({
  type: 'schema',
  options: Options,
  create(options, { directory }) {
    const { choices, allow_no_text, verdict } = options;
    const schema = schemaOf(options, directory);
    const validate = schema === null ? null : compiled(schema, options);
    return {
      stages: ['egress'],
      verdicts: [verdict],
      check(segments) {
        const answers = answersOf(segments);
        const counter = new JsonCounter();
        const asked = choices === 'first' ? answers.slice(0, 1) : answers;
        const faults = asked.flatMap((text) => faultOf(text, validate, allow_no_text, counter) ?? []);
        const [first] = faults;
        if (first === undefined) return { verdict: 'allow', code: 'well-formed', edits: [], findings: [] };
        return { verdict, code: first.code, edits: [], findings: findingsOf(faults), hint: HINT };
      },
    };
  },
});

function compiled(schema: Record<string, unknown>, { schema_file }: Options): Validator {
  try {
    return compileSchema(schema);
  } catch (error) {
    const key = schema_file === undefined ? 'schema' : 'schema_file';
    throw new Error(`${key}: ${error instanceof Error ? error.message : 'cannot be compiled'}`);
  }
}
