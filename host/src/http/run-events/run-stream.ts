import type { OutgoingHttpHeaders } from 'node:http';
import { errorName } from '@svc/contracts';
import type { PausedChange } from '@svc/runtime';
import type { FastifyReply } from 'fastify';
import type { AssertStill } from '../assert-still.ts';
import { EVENT_STREAM, KEEP_ALIVE } from '../doors/event-stream.ts';
import type { WithGroups } from '../groups.ts';
import { isForRoute, type Principal } from '../key-ring.ts';
import { type Approvals, listedRun } from '../run-access.ts';

/** Maximum unread bytes before a client is disconnected. */
const MAX_UNREAD_BYTES = 1_048_576;

export interface RunStreamEnv {
  readonly stored: Approvals;
  readonly withGroups: WithGroups;
  readonly assertStill: AssertStill;
  readonly keep_alive_ms: number;
}

/** The changes of paused runs for one caller, as server-sent events. */
export class RunStream {
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  readonly #reply: FastifyReply;
  readonly #principal: Principal;
  readonly #env: RunStreamEnv;
  #sent_at = performance.now();

  constructor(reply: FastifyReply, principal: Principal, env: RunStreamEnv) {
    this.#reply = reply;
    this.#principal = principal;
    this.#env = env;
    const { raw } = reply;
    this.closed = raw.closed ? Promise.resolve() : new Promise((resolve) => raw.once('close', resolve));
  }

  /** From here on, the framework sends nothing. */
  begin(): void {
    const reply = this.#reply.headers(EVENT_STREAM).hijack();
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
    this.#write(KEEP_ALIVE);
  }

  /** Sends the changes that the caller may see, or a keep-alive when it is due. Ends the stream if the caller has lost its access. Never rejects. */
  async send(changes: readonly PausedChange[]): Promise<void> {
    const { assertStill, keep_alive_ms } = this.#env;
    const frames = this.#framesOf(changes);
    if (frames === '' && performance.now() - this.#sent_at < keep_alive_ms) return;
    try {
      await assertStill(this.#principal);
      this.#write(frames === '' ? KEEP_ALIVE : frames);
    } catch (error) {
      this.#reply.log.info({ event: 'run_events_ended', reason: errorName(error) });
      this.end();
    }
  }

  end(): void {
    this.#reply.raw.end();
  }

  #framesOf(changes: readonly PausedChange[]): string {
    const { withGroups, stored } = this.#env;
    const caller = withGroups(this.#principal);
    return changes
      .filter(({ run }) => isForRoute(caller, run.row.route))
      .map(({ change, run }) => `data: {"change":"${change}","run":${listedRun(caller, run, stored)}}\n\n`)
      .join('');
  }

  #write(text: string): void {
    const { raw, log } = this.#reply;
    if (raw.writableLength > MAX_UNREAD_BYTES) {
      log.warn({ event: 'run_events_cut', reason: 'unread' });
      raw.destroy();
    }
    if (raw.destroyed || raw.writableEnded) return;
    this.#sent_at = performance.now();
    raw.write(text);
  }
}
