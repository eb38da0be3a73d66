import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonValue } from '@svc/contracts';
import { MAIN, parsed, type TestGateway } from './gateway.ts';

const run = promisify(execFile);

/** Runs `svc ledger verify --json` against a running gateway, in another process. @param checkpoints notes that an auditor kept */
export async function verifyLedger(
  gateway: TestGateway,
  { checkpoints, keys, principal = 'alice' }: { checkpoints: readonly string[]; keys: readonly string[]; principal?: string },
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reports of any shape
): Promise<{ readonly code: number; readonly report: any }> {
  const files = checkpoints.map((note, index) => {
    const file = join(gateway.folder, `kept-${index}.checkpoint`);
    writeFileSync(file, note);
    return file;
  });
  const args = [...files.flatMap((file) => ['--checkpoint', file]), ...keys.flatMap((key) => ['--key', key])];
  const env = { ...process.env, SVC_KEY: gateway.key(principal) };
  const ended = await run(process.execPath, [MAIN, 'ledger', 'verify', gateway.url, '--json', ...args], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const report: JsonValue = parsed(ended.stdout);
  return { code: ended.code, report };
}
