import { readFile } from 'node:fs/promises';
import { VERDICTS } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { schemaProblems } from '../config/check-schema.ts';
import { formatDiagnostic } from '../config/index.ts';
import { readSource } from '../config/read-source.ts';
import { CliError } from '../errors/cli-error.ts';
import { GuardCheck } from '../http/schemas.ts';

const { evidence: _, ...body } = GuardCheck.properties;
const text = (description: string) => Type.Optional(Type.String({ description }));

const Expected = Type.Object(
  {
    verdict: Type.Enum([...VERDICTS], { description: 'The strictest verdict of the guards.' }),
    guard: text('The guard that returned it.'),
    code: text('The code of that verdict.'),
    findings: Type.Optional(
      Type.Array(Type.String(), { uniqueItems: true, description: 'All types that must be found, in any order.' }),
    ),
    text: text('The text after the edits of the guards.'),
    texts: Type.Optional(Type.Array(Type.String(), { description: 'As `text`, for `texts`.' })),
  },
  { additionalProperties: false },
);

/** A text or a body as in `POST /v1/guard`, and what the guards of its route must answer. */
const PolicyCase = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200 }), ...body, expect: Expected },
  { additionalProperties: false },
);
export type PolicyCase = Static<typeof PolicyCase>;

const Cases = Type.Object({ cases: Type.Array(PolicyCase, { minItems: 1 }) }, { additionalProperties: false });

/** The cases of a YAML file. @throws {CliError} with the place of each error */
export async function readCases(file: string): Promise<readonly PolicyCase[]> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot read ${file} (${error.code})`, 2);
  });
  const { report, value } = await readSource(file, bytes);
  for (const problem of value === null ? [] : schemaProblems(Cases, value))
    report.error('SVC-POL-001', problem.path, problem.message, problem);
  if (report.failed) throw new CliError(report.diagnostics.map(formatDiagnostic).join('\n'), 2);
  const { cases } = Value.Parse(Cases, value);
  const twice = cases.find(({ name }, n) => cases.findIndex((other) => other.name === name) !== n);
  if (twice !== undefined) throw new CliError(`${file} has two cases with the name ${JSON.stringify(twice.name)}`, 2);
  return cases;
}
