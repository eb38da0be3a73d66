import type { Protocol } from '@svc/contracts';
import { CHAT } from './chat/protocol.ts';

const ALL: ReadonlyMap<string, Protocol> = new Map([CHAT].map((protocol) => [protocol.id, protocol]));

/** Null: there is none of this id. */
export function protocolOf(id: string): Protocol | null {
  return ALL.get(id) ?? null;
}
