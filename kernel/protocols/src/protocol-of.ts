import type { Protocol } from '@svc/contracts';
import { CHAT } from './chat.ts';
import { MESSAGES } from './messages.ts';
import { RESPONSES } from './responses.ts';

/** The protocols of a gateway, by id. */
export type Protocols = ReadonlyMap<string, Protocol>;

/** This package's protocols and the given ones. */
export function protocolsWith(others: readonly Protocol[]): Protocols {
  return new Map([CHAT, MESSAGES, RESPONSES, ...others].map((protocol) => [protocol.id, protocol]));
}
