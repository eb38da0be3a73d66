import { setTimeout } from 'node:timers/promises';
import type { OperationsLog } from '../records/operations-log/operations-log.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { GatewayEnv } from './runs/gateway-env.ts';
import { rewrap } from './runs/rewrap.ts';

/** How soon this process applies changes that other processes made. */
export const FOLLOW_EVERY_MS = 250;
/** After this time, the other processes have applied them. */
const FOLLOWED_MS = 4 * FOLLOW_EVERY_MS;
/** Interval between checks after all keys were rewrapped. Gateways that were not restarted still wrap keys with the previous content key. */
const REWRAP_AGAIN_MS = 3_600_000;

type Parts = Pick<GatewayOptions, 'clock' | 'content_keys' | 'logger' | 'retrieval'>;

/** Moves all keys to the newest content key while older ones are configured. */
export class KeyExchange {
  readonly #parts: Parts;
  readonly #env: GatewayEnv;
  readonly #operations: OperationsLog;
  /** When keys are next rewrapped. Monotonic milliseconds. */
  #from: number;

  constructor(parts: Parts, env: GatewayEnv, operations: OperationsLog) {
    this.#parts = parts;
    this.#env = env;
    this.#operations = operations;
    this.#from = parts.content_keys.older.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Whether an older key is configured. */
  get isNeeded(): boolean {
    return Number.isFinite(this.#from);
  }

  /** Does the work that is due. Only the leader calls it. */
  async work(): Promise<void> {
    const { clock, logger, retrieval } = this.#parts;
    if (clock.monotonic() < this.#from || !(await this.#env.content.isCurrent())) return;
    const ofRuns = await rewrap(this.#env);
    const ofDocuments = (await retrieval?.rewrap()) ?? { namespaces: 0, left: 0 };
    const { runs } = ofRuns;
    const { namespaces } = ofDocuments;
    const ofOperations = (await this.#operations.exchangeKey(() => setTimeout(FOLLOWED_MS, undefined, { ref: false }))) ? 0 : 1;
    const left = ofRuns.left + ofDocuments.left + ofOperations;
    this.#from = left > 0 ? 0 : clock.monotonic() + REWRAP_AGAIN_MS;
    if (runs + namespaces > 0 || left === 0) logger.info({ event: 'content_rewrapped', runs, left, namespaces });
  }
}
