import { readCases } from '../policy/cases.ts';
import { type Answered, type CaseResult, checkCase } from '../policy/check-case.ts';
import { openCandidate } from '../replay/candidate.ts';
import { withoutFetch } from '../replay/without-fetch.ts';
import { NOT_ASKED_NAMES } from '../replay/words.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { counted } from '../try/words.ts';
import { CONFIG_OPTION, readArguments, unknownCommand } from './arguments.ts';

/** `svc policy test`. */
export async function policy([command, ...args]: string[]): Promise<void> {
  if (command !== 'test') throw unknownCommand('policy', command, ['svc policy test']);
  return testPolicy(args);
}

/**
 * `svc policy test CASES [--config F] [--json]`: asks the guards of a configuration about named cases, and compares their answers with the expected ones. Calls
 * no model and no service. Exit code 1 if a case fails, 2 if the file has errors.
 */
async function testPolicy(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args, { config: CONFIG_OPTION, json: { type: 'boolean', default: false } }, [
    'CASES',
  ]);
  const cases = await readCases(positionals[0] ?? '');
  const candidate = await openCandidate(values.config);
  try {
    const results: CaseResult[] = [];
    for (const each of cases) results.push(await withoutFetch(() => checkCase(each, candidate)));
    const failed = results.filter(({ passed }) => !passed).length;
    const sums = { passed: results.length - failed, failed };
    const used = new Set(results.flatMap(({ not_asked }) => not_asked));
    const notes = [...candidate.not_asked]
      .filter(([guard]) => used.has(guard))
      .map(([guard, why]) => `not run: ${printable(guard)}, because ${NOT_ASKED_NAMES[why]}`);
    const text = [...notes, ...results.map(resultLine), sumLine(sums)].join('\n');
    process.stdout.write(values.json ? `${JSON.stringify({ ...sums, cases: results })}\n` : `${text}\n`);
    if (failed > 0) process.exitCode = 1;
  } finally {
    await candidate.close();
  }
}

function resultLine({ name, passed, problem, differs, expected, answered }: CaseResult): string {
  if (passed) return `${styled('green', 'ok')}    ${printable(name)}`;
  const why = problem ?? differs.map((field) => difference(field, expected, answered)).join('; ');
  return `${styled('red', 'FAIL')}  ${printable(`${name}: ${why}`)}`;
}

/** Texts are not shown, because a guard may have failed to mask them. */
function difference(field: string, expected: CaseResult['expected'], answered: Answered | null): string {
  if (field === 'text' || field === 'texts') return `the ${field} after the guards ran is not the expected one`;
  const shown = (value: unknown): string => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value ?? 'none'));
  const [is, wanted] = [answered, expected].map((all) => shown(Reflect.get(Object(all), field)));
  return `${field} is ${is}, expected ${wanted}`;
}

function sumLine({ passed, failed }: { readonly passed: number; readonly failed: number }): string {
  return styled(failed === 0 ? 'green' : 'red', `${counted(passed, 'case')} passed, ${failed} failed`);
}
