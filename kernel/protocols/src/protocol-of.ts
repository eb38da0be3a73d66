import type { Protocol } from '@svc/contracts';
import { CHAT } from './chat.ts';
import { MESSAGES } from './messages.ts';
import { RESPONSES } from './responses.ts';

/** The protocols that a gateway knows, by id. */
export type Protocols = ReadonlyMap<string, Protocol>;

/** Those of this package, and others. */
export function protocolsWith(others: readonly Protocol[]): Protocols {
  return new Map([CHAT, MESSAGES, RESPONSES, ...others].map((protocol) => [protocol.id, protocol]));
}
