import type { Clock, Logger } from '@svc/contracts';
import type { Notice } from './notice.ts';

/** What became of an attempt that did not fail. */
export interface Delivery {
  /** Recipients that refused it for now. */
  readonly left: readonly string[];
  /** Number of recipients that refused it for good. */
  readonly refused: number;
}

/** Delivers messages to one target. */
export interface Sender {
  /**
   * @param to the recipients that still need it; undefined: all
   * @throws {NotAccepted}, or an error of the connection
   */
  send(notice: Notice, to: readonly string[] | undefined, signal: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

/** Why a message was not accepted: a code, never a text of the receiver. */
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
  /** Of the configuration file. */
  readonly directory: string;
  readonly logger: Logger;
  readonly clock: Clock;
}
