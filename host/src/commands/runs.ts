import { unknownCommand } from './arguments.ts';
import { eraseRuns } from './runs-erase.ts';

/** `svc runs erase`. */
export async function runs([command, ...args]: string[]): Promise<void> {
  if (command !== 'erase') throw unknownCommand('runs', command, ['svc runs erase']);
  return eraseRuns(args);
}
