import { createHash } from 'node:crypto';
import type { NoticeTarget } from '../config/index.ts';

/** Under which keys the unsent notices of a target are stored: one for each receiver. They begin with the target's name, which has no slash. */
export function receiverKeys(target: NoticeTarget): string[] {
  const { name } = target;
  if (target.type !== 'email') return [name];
  return target.to.map((address) => `${name}/${createHash('sha256').update(address).digest('hex').slice(0, 32)}`);
}

export function outboxKey(receiver: string): string {
  return `notices/${receiver}`;
}
