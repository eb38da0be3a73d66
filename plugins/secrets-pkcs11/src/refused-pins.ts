import { createHash } from 'node:crypto';

/** Where a PIN is used. */
export interface PinUse {
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  readonly pin: string;
}

/** For this process, not for one client: each load of a configuration has clients of its own, loads are repeated, and a few more attempts lock the token. */
const refused = new Set<string>();

export function addRefusedPin(use: PinUse): void {
  refused.add(digestOf(use));
}

export function isRefusedPin(use: PinUse): boolean {
  return refused.has(digestOf(use));
}

function digestOf({ module, token, pin }: PinUse): string {
  return createHash('sha256')
    .update(JSON.stringify([module, token, pin]))
    .digest('hex');
}
