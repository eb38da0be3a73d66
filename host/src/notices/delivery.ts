import type { Clock, Logger } from '@svc/contracts';
import type { Notice } from './notice.ts';

/** Delivers messages to one receiver. */
export interface Sender {
  /** @throws {NotAccepted}, or an error of the connection */
  send(notice: Notice, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Why a message was not accepted: a code, never text from the receiver. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  readonly code: string;
  readonly retry_after_ms: number;
  constructor(code: string, retry_after_ms = 0) {
    super(`the receiver did not accept the message (${code})`);
    this.code = code;
    this.retry_after_ms = retry_after_ms;
  }
}

export interface SenderDeps {
  readonly public_url: string;
  /** Folder of the configuration file. */
  readonly directory: string;
  readonly logger: Logger;
  readonly clock: Clock;
}
