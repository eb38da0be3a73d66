import { Refusal } from './refusal.ts';
import { eraseRuns } from './runs-erase.ts';

/** `svc runs erase`. */
export async function runs([command, ...args]: string[]): Promise<void> {
  if (command !== 'erase') throw new Refusal(`unknown command runs ${command ?? ''}; there is: svc runs erase`, 2);
  return eraseRuns(args);
}
