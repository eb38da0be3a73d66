import { unknownCommand } from './arguments.ts';
import { packEvidence } from './evidence-pack.ts';

/** `svc evidence pack`. */
export async function evidence([command, ...args]: string[]): Promise<void> {
  if (command !== 'pack') throw unknownCommand('evidence', command, ['svc evidence pack']);
  return packEvidence(args);
}
