import { unknownCommand } from './arguments.ts';
import { decideRun } from './runs-decide.ts';
import { eraseRuns } from './runs-erase.ts';
import { listRuns } from './runs-list.ts';
import { showRun } from './runs-show.ts';
import { watchRuns } from './runs-watch.ts';

/** `svc runs list`, `show`, `watch`, `approve`, `deny` and `erase`. */
export async function runs([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'list':
      return listRuns(args);
    case 'show':
      return showRun(args);
    case 'watch':
      return watchRuns(args);
    case 'approve':
      return decideRun('approved', args);
    case 'deny':
      return decideRun('denied', args);
    case 'erase':
      return eraseRuns(args);
    default:
      throw unknownCommand('runs', command, [
        'svc runs list',
        'svc runs show',
        'svc runs watch',
        'svc runs approve',
        'svc runs deny',
        'svc runs erase',
      ]);
  }
}
