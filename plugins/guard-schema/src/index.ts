import { allow, defineGuard, type GuardResult } from '@svc/sdk';
import { compileSchema, type Mismatch, mismatchesIn } from '@svc/toolkit/json-schema';
import { answersOf } from './answers.ts';
import { Options } from './options.ts';
import { schemaOf } from './source.ts';

type Fault = Mismatch | { readonly code: 'no-text'; readonly at: 'no-text' };

const NO_TEXT: Fault = { code: 'no-text', at: 'no-text' };
const HINT = { text: "The model's answer does not match the JSON schema of this route. Try again; another answer may match." };

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
    if (schema !== null) assertCompiles(schema, options);
    const written = schema === null ? null : JSON.stringify(schema);
    return {
      stages: ['egress'],
      verdicts: [verdict],
      async check(segments, ctx) {
        const answers = answersOf(segments);
        const asked = choices === 'first' ? answers.slice(0, 1) : answers;
        const texts = asked.filter((text) => text !== null);
        const mismatches = await mismatchesIn(import.meta.resolve('#validate'), { schema: written, texts }, ctx);
        const faults = asked.flatMap((text) => {
          if (text === null) return allow_no_text ? [] : NO_TEXT;
          return mismatches.shift() ?? [];
        });
        const [first] = faults;
        if (first === undefined) return allow('well-formed');
        return { verdict, code: first.code, edits: [], findings: findingsOf(faults), hint: HINT };
      },
    };
  },
});

function assertCompiles(schema: Record<string, unknown>, { schema_file }: Options): void {
  try {
    compileSchema(schema);
  } catch (error) {
    const key = schema_file === undefined ? 'schema' : 'schema_file';
    throw new Error(`${key}: ${error instanceof Error ? error.message : 'cannot be compiled'}`);
  }
}
