/** `npm run soak`: a gateway under mixed load with faults. It ends with exit code 1 if a law is broken. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELP, type Options, readOptions } from './options.ts';
import { reportOf, shown } from './report.ts';
import { soak } from './soak.ts';

function optionsOrExit(): Options | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

/** Null outside a clone. */
function commitOf(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

const options = optionsOrExit();
if (options === null) process.stdout.write(HELP);
else {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'svc-soak-'));
  let isKept = true;
  process.once('exit', () => {
    if (isKept) process.stderr.write(`the log and the runs-db are kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isKept = false;
      process.exit(1);
    });
  }
  const commit = commitOf();
  const outcome = await soak(options, folder, (text) => process.stderr.write(`${text}\n`));
  const report = reportOf(outcome, options, folder, commit);
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${shown(report)}\n`);
  isKept = report.laws.some(({ holds }) => !holds);
  process.exit(isKept ? 1 : 0);
}
