import type { Protocol } from '@svc/contracts';
import { CHAT } from './chat.ts';
import { MESSAGES } from './messages.ts';
import { RESPONSES } from './responses.ts';

const ALL: ReadonlyMap<string, Protocol> = new Map([CHAT, MESSAGES, RESPONSES].map((protocol) => [protocol.id, protocol]));

/** Null: there is none of this id. */
export function protocolOf(id: string): Protocol | null {
  return ALL.get(id) ?? null;
}
