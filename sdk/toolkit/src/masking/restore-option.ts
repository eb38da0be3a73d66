import type { GuardResult } from '@svc/contracts';
import { Type } from 'typebox';
import type { Restore } from './run-mask.ts';

/** The option `restore` of masking guards. */
export const RestoreOption = Type.Union([Type.Boolean(), Type.Literal('all')], {
  default: false,
  description:
    "Which values are restored in the answer. `true`: values from the caller's messages. `all`: also values that occur only in system messages, tool definitions or elsewhere in the request.",
});

/** @throws {Error} if a guard could restore nothing */
export function assertRestorable(restore: Restore, verdict: GuardResult['verdict']): void {
  if (restore === false || verdict !== 'block') return;
  throw new Error(
    'restore cannot be combined with verdict: block, which masks nothing that could be restored; remove one of them',
  );
}
