import { examine } from '../doctor/examine.ts';
import { CHECKS, type Finding, problem } from '../doctor/finding.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';
import { isolated } from './isolated.ts';

const STYLES = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const CHECK_WIDTH = Math.max(...CHECKS.map(({ length }) => length));
const STATUS_WIDTH = 'warning'.length;

/**
 * `svc doctor [--config F] [--runs-db DIR|URL] [--offline] [--json]`: checks what a gateway needs, and says what to do. Exit code 1 if there is a problem.
 * It runs in a child process, because a damaged runs-db may crash it.
 */
export async function doctor(args: string[]): Promise<void> {
  const { values } = readArguments(args, {
    config: CONFIG_OPTION,
    'runs-db': { type: 'string', default: 'runs-db' },
    offline: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const asked = { config: values.config, runs_db: values['runs-db'], offline: values.offline };
  await isolated(
    () => report(examine(asked), values.json),
    async ({ signal }) => {
      const message = `the process that read the runs-db was killed by ${signal}: it is damaged`;
      await report([problem('runs-db', message, 'restore a backup (docs/backup.md)')], values.json);
    },
  );
}

/** Prints the findings, and sets the exit code. */
export async function report(findings: AsyncIterable<Finding> | Iterable<Finding>, json: boolean): Promise<void> {
  const all: Finding[] = [];
  for await (const finding of findings) {
    all.push(finding);
    if (!json) process.stdout.write(`${findingLines(finding).join('\n')}\n`);
  }
  const passed = all.every(({ status }) => status !== 'problem');
  process.stdout.write(json ? `${JSON.stringify({ ok: passed, checks: all }, null, 2)}\n` : `\n${summary(all)}\n`);
  if (!passed) process.exitCode = 1;
}

/** One line, and a second one with what to do. */
export function findingLines({ check, status, message, remedy }: Finding): string[] {
  const start = `${styled(STYLES[status], status.padEnd(STATUS_WIDTH))}  ${styled('bold', check.padEnd(CHECK_WIDTH))}  `;
  const indent = ' '.repeat(STATUS_WIDTH + CHECK_WIDTH + 4);
  return [`${start}${printable(message)}`, ...(remedy === null ? [] : [`${indent}${styled('dim', `→ ${printable(remedy)}`)}`])];
}

function summary(all: readonly Finding[]): string {
  const count = (wanted: Finding['status']): number => all.filter(({ status }) => status === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const style = problems > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green';
  const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return styled(
    style,
    problems + warnings === 0 ? 'no problems found' : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`,
  );
}
