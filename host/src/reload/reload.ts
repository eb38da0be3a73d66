import { errorMessage, isStoreError, isSvcError, type NewOperation, type Operation, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { Closing, Gateway, UsedPlugin } from '@svc/runtime';
import type { Logger } from 'pino';
import { closeInstances, type LoadResult, type ResolvedConfig, readRegularFile } from '../config/index.ts';
import type { ReloadOrder } from '../http/endpoints/configuration.ts';
import type { KeyRing } from '../http/key-ring.ts';
import { ConfigurationRefused } from '../http/refused-configuration.ts';
import type { ReloadResult } from '../http/schemas.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Rag } from '../retrieval/index.ts';
import { type ActiveConfiguration, type BuiltConfiguration, buildConfiguration, routeSetOf } from './active-configuration.ts';
import { changesBetween } from './changes.ts';
import { RetiredConfigurations } from './retired.ts';

/** How soon a change of another process is tried again that could not be taken here. */
const AGAIN_MS = 10_000;

interface ReloadParts {
  readonly active: ActiveConfiguration;
  readonly ring: KeyRing;
  readonly limits: RateLimits;
  readonly logger: Logger;
  readonly now: () => number;
  /** Loads these bytes of the file, to take the place of the configuration in force. */
  readonly load: (bytes: Uint8Array, former: ResolvedConfig) => Promise<LoadResult>;
  /** Both are there once the gateway is open. */
  readonly gateway: () => Promise<Gateway>;
  readonly rag: () => Promise<Rag | null>;
  /** Makes the issuers of tokens ready. Returns what puts them in force at once. */
  readonly issuers: (config: ResolvedConfig) => Promise<() => void>;
  /** The packages that a server with this configuration uses. */
  readonly plugins: (config: ResolvedConfig) => readonly UsedPlugin[];
  /** Is told of each configuration that came into force. */
  readonly applied: (config: ResolvedConfig) => void;
}

/** What is ready to come into force. `put` does it at once. */
interface Prepared {
  readonly digest: string;
  readonly put: () => void;
}

/**
 * Puts another configuration into force while the gateway runs. The record of it in the operations log is the change: whichever process
 * added it, each one that hears of it reads its own file, and takes it if it is the same.
 */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #retired: RetiredConfigurations;
  /** One configuration at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #prepared: Prepared | null = null;
  #newest: Operation | null = null;
  /** Of the configuration that is the newest on record, by whichever start or change. */
  #onRecord: string | null = null;
  #isOpen = false;
  #isClosed = false;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#retired = new RetiredConfigurations(parts.logger);
  }

  /** For the operations log. Of what was recorded before the start, only the file counts. */
  readonly apply = (operation: Operation): void => {
    if (operation.action === 'gateway.started') this.#onRecord = operation.after;
    if (operation.action !== 'configuration.applied') return;
    this.#onRecord = operation.after;
    this.#newest = operation;
    if (this.#prepared?.digest === digestOf(operation)) this.#putPrepared();
    else if (this.#isOpen) void this.#alone(() => this.#follow(operation));
  };

  /**
   * The gateway is open. Its file may have changed since it was read, and been applied by another process; or it is another than the one on
   * record, since somebody restarts with a new one, or with an old one.
   * @param former_digest of the configuration on record before this start
   */
  opened(former_digest: string | null): void {
    this.#isOpen = true;
    const other = [this.#onRecord, former_digest].find((digest) => digest !== null && digest !== this.#digest) ?? null;
    const isBehind = this.#newest !== null && digestOf(this.#newest) !== this.#digest;
    if (other !== null || isBehind) void this.#alone(() => this.#catchUp(other));
  }

  /**
   * Reads the file again and puts it into force.
   * @throws {ConfigurationRefused} with its errors; SVC-CONF-002 where another process was faster; SVC-STORE-001. Then nothing has changed
   */
  order(order: ReloadOrder): Promise<ReloadResult> {
    return this.#alone(() => this.#order(order));
  }

  /** As {@link order}, by whoever controls the process. The log tells how it ended. */
  async orderBySignal(): Promise<void> {
    const actor = { principal_id: null, issuer: null, subject: null };
    try {
      const { active_digest, previous_digest } = await this.order({
        actor,
        assertStill: () => undefined,
        reason: null,
        dry_run: false,
      });
      if (active_digest === previous_digest)
        this.#parts.logger.info({ event: 'configuration_unchanged', config_digest: active_digest });
    } catch (error) {
      this.#refused(error);
    }
  }

  /** Closes the instances of what is in force, and of what was. */
  async close(closing: Closing): Promise<void> {
    this.#isClosed = true;
    await Promise.all([closeInstances(this.#parts.active.current.config, closing), this.#retired.close(closing)]);
  }

  get #digest(): string {
    return this.#parts.active.current.config.digest;
  }

  async #order({ actor, assertStill, reason, dry_run }: ReloadOrder): Promise<ReloadResult> {
    const { active, load } = this.#parts;
    const newest = this.#newest;
    const former = active.current.config;
    const { next, changes, warnings } = await this.#load(await this.#read(former.path), load);
    const result = { active_digest: next.digest, previous_digest: former.digest, file_digest: next.digest, changes, warnings };
    if (dry_run) {
      await closeInstances(next, undefined, former);
      return { ...result, active_digest: former.digest };
    }
    if (changes.length === 0 && next.digest === former.digest) return result;
    const sections = [...new Set(changes.map(({ section }) => section))];
    const [used, usedNow] = [former, next].map(this.#parts.plugins);
    const plugins = canonicalJson({ used }) === canonicalJson({ used: usedNow }) ? {} : { plugins: usedNow };
    const record = async (): Promise<NewOperation> => {
      await assertStill();
      if (this.#newest !== newest) {
        // Where it was the same file, that record is the one of this change.
        if (this.#newest !== null && digestOf(this.#newest) === next.digest) this.#putPrepared();
        throw new SvcError('SVC-CONF-002', 'another configuration was applied meanwhile; ask again');
      }
      return {
        action: 'configuration.applied',
        actor,
        target: { kind: 'configuration', name: 'file' },
        before: former.digest,
        after: next.digest,
        reason,
        change: { digest: next.digest, sections, ...plugins },
      };
    };
    await this.#replace(next, true, ({ operations }) => operations.append(record)).catch((error: unknown) => {
      // Another process has recorded the same file, and it is in force here, too.
      if (active.current.config !== next) throw error;
    });
    return result;
  }

  /** Another process has recorded a change. What keeps it from being taken here is told once, and tried again as long as it is the newest. */
  async #follow(operation: Operation, isFirst = true): Promise<void> {
    const { active, load } = this.#parts;
    if (operation !== this.#newest || this.#isClosed) return;
    try {
      const former = active.current.config;
      const bytes = await this.#read(former.path);
      const file_digest = sha256(bytes);
      if (file_digest !== digestOf(operation)) {
        if (isFirst) this.#differs(digestOf(operation), file_digest);
        this.#followLater(operation);
        return;
      }
      const { next, changes } = await this.#load(bytes, load);
      if (changes.length === 0 && next.digest === former.digest) return;
      await this.#replace(next, false, async () => this.#putPrepared());
    } catch (error) {
      if (isFirst) this.#refused(error);
      this.#followLater(operation);
    }
  }

  #followLater(operation: Operation): void {
    setTimeout(() => void this.#alone(() => this.#follow(operation, false)), AGAIN_MS).unref();
  }

  /** At a start the operator's file counts, whatever was applied before it. That it is another one is told once. */
  async #catchUp(other: string | null): Promise<void> {
    const bytes = await readRegularFile(this.#parts.active.current.config.path).catch(() => null);
    const file_digest = bytes === null ? null : sha256(bytes);
    const newest = this.#newest;
    if (newest !== null && file_digest === digestOf(newest) && file_digest !== this.#digest) await this.#follow(newest);
    else if (other !== null) this.#differs(other, file_digest);
  }

  /** @param file_digest null: it cannot be read */
  #differs(applied_digest: unknown, file_digest: string | null): void {
    this.#parts.logger.warn({ event: 'configuration_differs', applied_digest, file_digest, config_digest: this.#digest });
  }

  async #read(path: string): Promise<Uint8Array> {
    return readRegularFile(path).catch((error: unknown) => {
      throw new ConfigurationRefused(`the configuration file cannot be read: ${errorMessage(error, 'unknown')}`, []);
    });
  }

  async #load(
    bytes: Uint8Array,
    load: ReloadParts['load'],
  ): Promise<Pick<ReloadResult, 'changes' | 'warnings'> & { next: ResolvedConfig }> {
    const former = this.#parts.active.current.config;
    const { config, diagnostics } = await load(bytes, former);
    if (config === null) throw new ConfigurationRefused('the configuration file has errors', diagnostics);
    return { next: config, changes: changesBetween(former, config), warnings: [...diagnostics] };
  }

  /** @param commit lets {@link Prepared.put} be called; where it was not, nothing has changed, and what is new is closed again */
  async #replace(config: ResolvedConfig, seals: boolean, commit: (gateway: Gateway) => Promise<unknown>): Promise<void> {
    const gateway = await this.#parts.gateway();
    const former = this.#parts.active.current.config;
    try {
      const next = buildConfiguration(config);
      const putIssuers = await this.#parts.issuers(config);
      const putRoutes = await gateway.prepare(routeSetOf(next), seals).catch(refuseGuard);
      const put = (): void => {
        putRoutes();
        putIssuers();
      };
      this.#prepared = { digest: config.digest, put: () => this.#put(next, put, gateway) };
      await commit(gateway);
    } finally {
      this.#prepared = null;
      if (this.#parts.active.current.config !== config) await closeInstances(config, undefined, former);
    }
  }

  #putPrepared(): void {
    const prepared = this.#prepared;
    this.#prepared = null;
    prepared?.put();
  }

  /** In one turn of the event loop. */
  #put(next: BuiltConfiguration, put: () => void, gateway: Gateway): void {
    const { active, ring, limits, now, logger, applied } = this.#parts;
    const { config: former } = active.current;
    put();
    active.replace(next, now());
    ring.replace(next.config.keys);
    limits.replace(next.config.limits);
    logger.info({ event: 'configuration_applied', config_digest: next.config.digest, previous_digest: former.digest });
    applied(next.config);
    this.#retired.retire(former, next.config, this.#unused(gateway));
  }

  async #unused(gateway: Gateway): Promise<void> {
    const rag = await this.#parts.rag();
    await Promise.all([gateway.runs.under_way.ended(), rag?.under_way.ended()]);
  }

  #refused(error: unknown): void {
    const { logger } = this.#parts;
    const reason = errorMessage(error, 'unknown');
    const diagnostics = error instanceof ConfigurationRefused ? error.diagnostics : [];
    logger.error({ event: 'configuration_refused', config_digest: this.#digest, reason, diagnostics });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** A guard that does not start: its name and package are told, not what it said. */
function refuseGuard(error: unknown): never {
  if (isSvcError(error) || isStoreError(error)) throw error;
  throw new ConfigurationRefused(errorMessage(error, 'a guard did not start'), []);
}

function digestOf({ change }: Operation): unknown {
  return change.digest;
}
