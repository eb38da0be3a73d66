import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fencesOf } from '../docs/fences.ts';
import { Newcomer } from '../tutorials/newcomer.ts';
import { stopAtOnce } from './stop-at-once.ts';

const PAGE = 'docs/writing-a-plugin.md';

/** Runs docs/writing-a-plugin.md block by block, in a folder that contains a clone. Returns the output of each command. */
export async function followTutorial(folder: string): Promise<string[]> {
  const reader = Newcomer.elsewhere(folder);
  let stands = folder;
  const printed: string[] = [];
  try {
    for (const { mark, text, line } of fencesOf(PAGE)) {
      if (mark === 'tutorial serve') {
        stopAtOnce(join(stands, 'svc.yaml'));
        await reader.serve(`cd ${stands}\n${text}`);
      } else if (mark === 'tutorial') {
        const { code, stdout, stderr } = await reader.run(`cd ${stands}\n${text}\necho; pwd`);
        expect(code, `${PAGE}:${line}\n${stdout}${stderr}`).toBe(0);
        const lines = stdout.trimEnd().split('\n');
        stands = lines.pop() ?? '';
        printed.push(lines.join('\n'));
      } else if (mark !== '') writeFileSync(join(stands, mark), text);
    }
    expect(await reader.stop()).toMatch(/"event":"stopped"/);
  } finally {
    await reader.stop('SIGKILL').catch(() => undefined);
  }
  return printed;
}
