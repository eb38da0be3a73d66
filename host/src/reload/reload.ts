import { setTimeout } from 'node:timers/promises';
import { errorMessage, type NewOperation, type Operation, SvcError } from '@svc/contracts';
import { stopping } from '@svc/kernel/admission';
import { canonicalJson, sha256, verifierKey } from '@svc/ledger';
import { type Closing, SerialByName } from '@svc/runtime';
import { closeInstances, type ResolvedConfig, readRegularFile } from '../config/index.ts';
import type { ReloadOrder } from '../http/endpoints/configuration.ts';
import { ConfigurationRefused } from '../http/refused-configuration.ts';
import type { ReloadResult } from '../http/schemas.ts';
import { changesBetween } from './changes.ts';
import { prepare, type ReloadParts } from './prepare.ts';
import { RetiredConfigurations } from './retired.ts';

/** Retry interval for a change of another process that could not be applied here. */
const RETRY_MS = 10_000;

type State =
  /** The operations log is being read. No change is applied yet. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'serving' }
  /** A configuration is prepared. Its record in the operations log applies it. */
  | { readonly kind: 'prepared'; readonly digest: string; readonly apply: () => void }
  | { readonly kind: 'closed' };

/** The operator of the process, or the process itself. */
const NOBODY = { principal_id: null, issuer: null, subject: null };

/** Why a change could not be applied. `what` stays the same as long as the reason does. */
interface FollowFailure {
  readonly what: string;
  readonly log: () => void;
}

/** The newest configuration on record. */
interface Recorded {
  /** Null: none. */
  readonly digest: string | null;
  /** The newest change by a reload, or null. */
  readonly change: Operation | null;
}

/**
 * Applies another configuration while the gateway runs. The record in the operations log is what makes the change: each process that reads the record
 * reads its own file, and applies the file if the digest is the same.
 */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #retired: RetiredConfigurations;
  /** Handles one configuration at a time. */
  readonly #serial = new SerialByName();
  #state: State = { kind: 'starting' };
  #recorded: Recorded = { digest: null, change: null };

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#retired = new RetiredConfigurations(parts.logger);
  }

  /** Receives the records of the operations log. */
  readonly apply = (operation: Operation): void => {
    if (operation.action === 'gateway.started') this.#recorded = { ...this.#recorded, digest: operation.after };
    if (operation.action !== 'configuration.applied') return;
    this.#recorded = { digest: operation.after, change: operation };
    if (this.#applyPrepared(digestOf(operation))) return;
    if (this.#state.kind === 'serving' || this.#state.kind === 'prepared') void this.#follow(operation);
  };

  /**
   * Call this when the gateway is open. Another process may have changed and applied the file since it was read. If the file differs from the one on
   * record, because an operator restarts with a newer or an older one, this is logged.
   * @param former_digest digest of the configuration on record before this start
   */
  opened(former_digest: string | null): void {
    this.#state = { kind: 'serving' };
    const { digest, change } = this.#recorded;
    const mine = this.#current.digest;
    const other = [digest, former_digest].find((each) => each !== null && each !== mine) ?? null;
    if (other !== null || (change !== null && digestOf(change) !== mine)) void this.#catchUp(other);
  }

  /**
   * Reads the file again and applies it. If it throws, nothing has changed.
   * @throws {ConfigurationRefused} with the errors in the file; SVC-CONF-002 if another process was faster; SVC-STORE-001
   */
  order(order: ReloadOrder): Promise<ReloadResult> {
    return this.#alone(() => this.#order(order));
  }

  /**
   * Applies the active configuration again, with the present values of its secrets.
   * @returns whether something changed
   * @throws as {@link order}
   */
  async orderBySecret(): Promise<boolean> {
    const order = { actor: NOBODY, assertStill: () => undefined, reason: 'a secret has changed', dry_run: false };
    // An edit of the file that nobody has applied stays as it is.
    const { changes } = await this.#alone(() => this.#order(order, this.#current.bytes));
    return changes.length > 0;
  }

  /** {@link order} by the operator of the process. The result is logged. */
  async orderBySignal(): Promise<void> {
    try {
      const { active_digest, previous_digest } = await this.order({
        actor: NOBODY,
        assertStill: () => undefined,
        reason: null,
        dry_run: false,
      });
      if (active_digest === previous_digest)
        this.#parts.logger.info({ event: 'configuration_unchanged', config_digest: active_digest });
    } catch (error) {
      this.#logRefused(error);
    }
  }

  /** Closes the instances of the active configuration, and of earlier ones. */
  async close(closing: Closing): Promise<void> {
    this.#state = { kind: 'closed' };
    await Promise.all([closeInstances(this.#current, this.#parts.logger, closing), this.#retired.close(closing)]);
  }

  get #current(): ResolvedConfig {
    return this.#parts.active.current.config;
  }

  /** @param given the content of the file; default: the present one */
  async #order({ actor, assertStill, reason, dry_run }: ReloadOrder, given?: Uint8Array): Promise<ReloadResult> {
    const { change } = this.#recorded;
    const former = this.#current;
    const { next, changes, warnings } = await this.#load(given ?? (await this.#read()));
    const result = { active_digest: next.digest, previous_digest: former.digest, file_digest: next.digest, changes, warnings };
    if (dry_run) {
      await closeInstances(next, this.#parts.logger, undefined, former);
      return { ...result, active_digest: former.digest };
    }
    if (changes.length === 0 && next.digest === former.digest) {
      await closeInstances(next, this.#parts.logger, undefined, former);
      return result;
    }
    const sections = [...new Set(changes.map(({ section }) => section))];
    const [used, usedNow] = [former, next].map(this.#parts.plugins);
    const plugins = canonicalJson({ used }) === canonicalJson({ used: usedNow }) ? {} : { plugins: usedNow };
    const record = async (origin: string): Promise<NewOperation> => {
      await assertStill();
      const newest = this.#recorded.change;
      if (newest !== change) {
        // If the other process has the same file, its record applies this change.
        if (newest !== null) this.#applyPrepared(digestOf(newest));
        throw new SvcError('SVC-CONF-002', 'another process has applied a configuration; send the request again');
      }
      const signing = sections.includes('ledger.signing_keys') ? verifierKeysOf(next, origin) : {};
      return {
        action: 'configuration.applied',
        actor,
        target: { kind: 'configuration', name: 'file' },
        before: former.digest,
        after: next.digest,
        reason,
        change: { digest: next.digest, sections, ...plugins, ...signing },
      };
    };
    const append = async (): Promise<unknown> => {
      const { operations, audit } = await this.#parts.gateway();
      return operations.append(() => record(audit.ledger.keys.origin));
    };
    await this.#replace(next, true, append).catch((error: unknown) => {
      // Another process has recorded the same file, so the file is active here as well.
      if (this.#current !== next) throw error;
    });
    return result;
  }

  /** Applies a change that another process has recorded. Retries until this succeeds or a newer change is on record. Logs each new failure. */
  async #follow(change: Operation): Promise<void> {
    let logged: string | null = null;
    while (this.#isNewest(change)) {
      const failure = await this.#alone(() => this.#take(change)).catch((error: unknown) => ({
        what: JSON.stringify([errorMessage(error), diagnosticsOf(error)]),
        log: () => this.#logRefused(error),
      }));
      if (failure === null) return;
      if (failure.what !== logged) failure.log();
      logged = failure.what;
      await setTimeout(RETRY_MS, undefined, { ref: false });
    }
  }

  /** Applies the change. Null: done. Otherwise, why it could not be applied. */
  async #take(change: Operation): Promise<FollowFailure | null> {
    if (!this.#isNewest(change)) return null;
    // A changed secret: the bytes stay the same, whatever the file has become.
    const bytes = digestOf(change) === this.#current.digest ? this.#current.bytes : await this.#read();
    const file_digest = sha256(bytes);
    if (file_digest !== digestOf(change))
      return { what: file_digest, log: () => this.#logDiffers(digestOf(change), file_digest) };
    const former = this.#current;
    const { next, changes } = await this.#load(bytes);
    if (changes.length > 0 || next.digest !== former.digest)
      await this.#replace(next, false, async () => this.#applyPrepared(next.digest));
    return null;
  }

  #isNewest(change: Operation): boolean {
    return this.#state.kind !== 'closed' && this.#recorded.change === change;
  }

  /** At start, the operator's file counts, whatever is on record. A difference is logged once. */
  async #catchUp(other: string | null): Promise<void> {
    const change = await this.#alone(async () => {
      const bytes = await readRegularFile(this.#current.path).catch(() => null);
      const file_digest = bytes === null ? null : sha256(bytes);
      const { change } = this.#recorded;
      if (change !== null && file_digest === digestOf(change) && file_digest !== this.#current.digest) return change;
      if (other !== null) this.#logDiffers(other, file_digest);
      return null;
    });
    if (change !== null) await this.#follow(change);
  }

  async #read(): Promise<Uint8Array> {
    return readRegularFile(this.#current.path).catch((error: unknown) => {
      throw new ConfigurationRefused(`cannot read the configuration file: ${errorMessage(error, 'unknown')}`, []);
    });
  }

  async #load(bytes: Uint8Array): Promise<Pick<ReloadResult, 'changes' | 'warnings'> & { next: ResolvedConfig }> {
    const former = this.#current;
    const { config, diagnostics } = await this.#parts.load(bytes, former);
    if (config === null) throw new ConfigurationRefused('the configuration file has errors', diagnostics);
    return { next: config, changes: changesBetween(former, config), warnings: [...diagnostics] };
  }

  /** @param commit leads to {@link #applyPrepared}; if it does not, nothing has changed, and new instances are closed again */
  async #replace(config: ResolvedConfig, seals: boolean, commit: () => Promise<unknown>): Promise<void> {
    const former = this.#current;
    try {
      const apply = await prepare(config, seals, this.#parts, this.#retired);
      if (this.#state.kind === 'closed') throw stopping();
      this.#state = { kind: 'prepared', digest: config.digest, apply };
      await commit();
    } finally {
      if (this.#state.kind === 'prepared') this.#state = { kind: 'serving' };
      if (this.#current !== config) await closeInstances(config, this.#parts.logger, undefined, former);
    }
  }

  /** Applies the prepared configuration if it has this digest. @returns whether it does */
  #applyPrepared(digest: unknown): boolean {
    if (this.#state.kind !== 'prepared' || this.#state.digest !== digest) return false;
    const { apply } = this.#state;
    this.#state = { kind: 'serving' };
    apply();
    return true;
  }

  /** @param file_digest null: the file cannot be read */
  #logDiffers(applied_digest: unknown, file_digest: string | null): void {
    const config_digest = this.#current.digest;
    this.#parts.logger.warn({ event: 'configuration_differs', applied_digest, file_digest, config_digest });
  }

  #logRefused(error: unknown): void {
    const reason = errorMessage(error, 'unknown');
    this.#parts.logger.error({
      event: 'configuration_refused',
      config_digest: this.#current.digest,
      reason,
      diagnostics: diagnosticsOf(error),
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.take('configuration', work);
  }
}

function diagnosticsOf(error: unknown): ConfigurationRefused['diagnostics'] {
  return error instanceof ConfigurationRefused ? error.diagnostics : [];
}

function digestOf({ change }: Operation): unknown {
  return change.digest;
}

/** The public keys that sign from now on. Nothing for the gateway's own key, which is not in the configuration. */
function verifierKeysOf({ ledger: { signing_keys } }: ResolvedConfig, name: string): Operation['change'] {
  return signing_keys.length === 0 ? {} : { verifier_keys: signing_keys.map((key) => verifierKey({ name, key })) };
}
