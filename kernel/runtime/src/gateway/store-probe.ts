import { withTimeout } from '@svc/contracts';
import type { GatewayEnv } from './runs/gateway-env.ts';

/** A health check is answered within this time, even if the store hangs. */
const MAX_PROBE_MS = 1_500;
/** A probe that takes longer is abandoned. */
const FORGET_PROBE_MS = 10_000;

/** Reports whether evidence can be written. All callers share one probe at a time, because anyone may call a health check. */
export class StoreProbe {
  readonly #env: Pick<GatewayEnv, 'writer' | 'store' | 'clock'>;
  #under_way: { readonly since: number; readonly done: Promise<boolean> } | null = null;

  constructor(env: Pick<GatewayEnv, 'writer' | 'store' | 'clock'>) {
    this.#env = env;
  }

  async isWritable(): Promise<boolean> {
    if (this.#env.writer.hangs) return false;
    const looked = await withTimeout(this.#shared(), MAX_PROBE_MS);
    return looked.done && looked.value;
  }

  #shared(): Promise<boolean> {
    const now = this.#env.clock.monotonic();
    if (this.#under_way !== null && now - this.#under_way.since < FORGET_PROBE_MS) return this.#under_way.done;
    const done = this.#look().finally(() => {
      if (this.#under_way?.done === done) this.#under_way = null;
    });
    this.#under_way = { since: now, done };
    return done;
  }

  async #look(): Promise<boolean> {
    const { writer, store } = this.#env;
    try {
      await writer.assertWritable();
      await store.head();
      return true;
    } catch {
      return false;
    }
  }
}
