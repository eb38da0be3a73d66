import { errorName } from '@svc/contracts';
import { PeriodicTask } from '@svc/runtime';
import type { Logger } from 'pino';
import type { ResolvedConfig } from '../config/index.ts';
import type { LeasedSecret, ResolvedSecret } from '../config/resolve-secrets.ts';
import { SecretError } from '../config/secret-backends.ts';
import { parseSecretReference } from '../config/secret-reference.ts';

/** How often it looks whether a secret is due. */
const LOOK_MS = 1_000;
/** After a failure, a secret is read again after this time, or earlier if its own time is shorter. */
const RETRY_MS = 30_000;

/** A secret is read up to this share of its time earlier, so that processes that started together do not ask at the same moment. */
const SPREAD = 0.1;

export type RefreshOutcome = 'same' | 'changed' | 'failed';

export interface SecretRefreshParts {
  /** The active configuration. */
  readonly config: () => Pick<ResolvedConfig, 'leased'>;
  /** Applies the configuration with the present values. Returns whether something changed. */
  readonly apply: () => Promise<boolean>;
  /** Whether the active configuration uses the value of its start. */
  readonly isReadAtStart: (reference: string) => boolean;
  readonly counted: (backend: string, outcome: RefreshOutcome) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

interface Kept {
  readonly secret: LeasedSecret;
  /** The value that was read last. */
  value: string;
  due: number;
  /** The last failure that was logged. */
  failure: string | null;
}

/**
 * Reads secrets again while the gateway runs, when their backends ask for it. A changed value is applied as a reload is. If a secret cannot be read,
 * the gateway keeps its last value.
 */
export class SecretRefresh {
  readonly #parts: SecretRefreshParts;
  readonly #closed = new AbortController();
  readonly #task: PeriodicTask;
  #of: Pick<ResolvedConfig, 'leased'> | null = null;
  #kept = new Map<string, Kept>();
  /** Why the last change was not applied, as it was logged. */
  #refused: string | null = null;

  constructor(parts: SecretRefreshParts) {
    this.#parts = parts;
    const failed = (error: unknown): void => this.#logNotApplied([], error);
    this.#task = new PeriodicTask(() => this.look(), { every_ms: LOOK_MS, failed });
  }

  start(): void {
    this.#task.start();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#task.stop();
  }

  /** Reads the secrets that are due. */
  async look(): Promise<void> {
    this.#follow();
    const now = this.#parts.now();
    const due = [...this.#kept].filter(([, { due }]) => due <= now);
    const changed = (await Promise.all(due.map(([reference, kept]) => this.#read(reference, kept)))).filter(
      (one) => one !== null,
    );
    if (changed.length > 0 && !this.#closed.signal.aborted) await this.#apply(changed);
  }

  /** After a reload, the secrets of the new configuration count from then on. */
  #follow(): void {
    const config = this.#parts.config();
    if (config === this.#of) return;
    this.#of = config;
    this.#kept = new Map(
      [...config.leased].map(([reference, secret]) => [
        reference,
        { secret, value: secret.value, due: this.#after(secret.refresh_after_ms), failure: null },
      ]),
    );
  }

  /** The time until then, or a little less. */
  #after(ms: number): number {
    const { now, random } = this.#parts;
    return now() + ms * (1 - SPREAD * random());
  }

  /** Returns the reference if the value has changed. */
  async #read(reference: string, kept: Kept): Promise<string | null> {
    const answer = await kept.secret.ask(this.#closed.signal);
    const { config, logger } = this.#parts;
    // A reload has read it meanwhile, and may have closed this backend.
    if (this.#closed.signal.aborted || config() !== this.#of) return null;
    if (answer instanceof SecretError) {
      kept.due = this.#after(Math.min(RETRY_MS, kept.secret.refresh_after_ms));
      if (kept.failure !== answer.message) logger.warn({ event: 'secret_refresh_failed', reference, reason: answer.message });
      kept.failure = answer.message;
      this.#counted(reference, 'failed');
      return null;
    }
    return this.#noted(reference, kept, answer) ? reference : null;
  }

  #noted(reference: string, kept: Kept, { value, refresh_after_ms }: ResolvedSecret): boolean {
    const { logger } = this.#parts;
    if (kept.failure !== null) logger.info({ event: 'secret_refresh_recovered', reference });
    const isChanged = value !== kept.value;
    Object.assign(kept, { value, due: this.#after(refresh_after_ms ?? kept.secret.refresh_after_ms), failure: null });
    this.#counted(reference, isChanged ? 'changed' : 'same');
    return isChanged;
  }

  async #apply(references: readonly string[]): Promise<void> {
    const { apply, config, isReadAtStart, logger } = this.#parts;
    try {
      const isApplied = await apply();
      this.#refused = null;
      // Otherwise a reload, or another process, was faster: it has read the secrets, and they count from then on.
      if (!isApplied && config() !== this.#of) return;
      const waiting = isApplied ? references.filter(isReadAtStart) : references;
      const changed = references.filter((reference) => !waiting.includes(reference));
      if (changed.length > 0) logger.info({ event: 'secret_changed', references: changed });
      if (waiting.length > 0) logger.warn({ event: 'secret_needs_restart', references: waiting });
    } catch (error) {
      this.#logNotApplied(references, error);
      // They are read again, and count as changed again.
      for (const reference of references) {
        const kept = this.#kept.get(reference);
        if (kept !== undefined) Object.assign(kept, { value: kept.secret.value, due: this.#after(RETRY_MS) });
      }
    }
  }

  /** The same refusal is logged once. */
  #logNotApplied(references: readonly string[], error: unknown): void {
    const reason = errorName(error);
    const refused = JSON.stringify([reason, references]);
    if (refused !== this.#refused) this.#parts.logger.warn({ event: 'secret_not_applied', references, reason });
    this.#refused = refused;
  }

  #counted(reference: string, outcome: RefreshOutcome): void {
    this.#parts.counted(parseSecretReference(reference)?.backend ?? '', outcome);
  }
}
