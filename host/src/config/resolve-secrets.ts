import { resolve } from 'node:path';
import {
  type AnySecretsBackend,
  isObject,
  SECRET_FAILURES,
  type SecretsBackend,
  type SigningBackend,
  type SigningKey,
  secretFailureOf,
  withTimeout,
} from '@svc/contracts';
import { base64Of, isSignedBy } from '@svc/ledger';
import { exposure } from '../key-storage/private-file.ts';
import type { Path } from './diagnostic.ts';
import { stringsOf } from './json-shape.ts';
import type { Report } from './report.ts';
import { fileBackend, SecretError } from './secret-backends.ts';
import { isSecretText, parseSecretReference, type SecretReference } from './secret-reference.ts';

const RESOLVE_TIMEOUT_MS = 10_000;
/** A backend is asked no more often than this. */
const MIN_REFRESH_MS = 1_000;
const PUBLIC_KEY_BYTES = 32;
/** A shorter line of a secret may occur in messages by chance. */
const MIN_LINE = 8;

/** The context of a section with secrets. */
export interface SecretContext {
  readonly report: Report;
  readonly secrets: Secrets;
  /** False for lint without secrets. */
  readonly resolveSecrets: boolean;
}

interface SecretsOptions {
  readonly report: Report;
  readonly directory: string;
  /** Null for a backend that is not available, which has been reported already. */
  readonly backendOf: (name: string, path: Path) => Promise<AnySecretsBackend | null>;
}

/** A value that a backend gave, and when to ask it again. */
export interface ResolvedSecret {
  readonly value: string;
  /** Null: it does not change while the gateway runs. */
  readonly refresh_after_ms: number | null;
}

/** A key that a backend holds. Its `value` is the public key in base64. */
interface ResolvedKey extends ResolvedSecret {
  readonly key: SigningKey;
}

/** A new key signs this text, to show that it can. It has the form of no note. */
const PROBE = Buffer.from('svc checks that this key signs\n');

/** A secret that can change while the gateway runs. */
export interface LeasedSecret {
  readonly value: string;
  readonly refresh_after_ms: number;
  /** Asks the backend again. */
  readonly ask: (abort: AbortSignal) => Promise<ResolvedSecret | SecretError>;
}

/** Replaces `secret://` references with their values. Each value is asked for once; each mention of a held key is tried. */
export class Secrets {
  readonly #options: SecretsOptions;
  readonly #values = new Map<string, Promise<ResolvedSecret | SecretError>>();
  readonly #leased = new Map<string, LeasedSecret>();
  readonly #known = new Set<string>();

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /** The resolved secrets that can change, by reference. */
  get leased(): ReadonlyMap<string, LeasedSecret> {
    return this.#leased;
  }

  /**
   * Reports malformed references, references without a fitting backend, and files that other users may access. Returns whether all references are valid.
   * @param mayBeHeld whether a backend may sign instead of giving the value
   */
  async check(value: unknown, path: Path, mayBeHeld = false): Promise<boolean> {
    const { report, backendOf } = this.#options;
    let well = true;
    for (const { path: below, text } of stringsOf(value, path)) {
      if (!isSecretText(text)) continue;
      const reference = parseSecretReference(text);
      if (reference === null) {
        report.error('SVC-POL-008', below, 'not a secret reference', {
          expected: 'secret://<backend>/<path>#<key>, with no other text',
        });
      }
      const backend = reference === null ? null : await backendOf(reference.backend, below);
      if (backend !== null && !mayBeHeld && !givesValues(backend)) {
        report.error(
          'SVC-POL-008',
          below,
          `${reference?.backend} holds signing keys, not values: only ledger.signing_keys may refer to it`,
        );
        well = false;
      }
      if (reference === null || backend === null) well = false;
      else if (reference.backend === 'file' && (await this.#isExposed(reference, below))) well = false;
    }
    return well;
  }

  /** Leases of sections that a reload did not read go on, with the values in use. Call this when all others are resolved. */
  async keep(former: ReadonlyMap<string, LeasedSecret>, isUsed: (reference: string) => boolean): Promise<void> {
    for (const [text, { value, refresh_after_ms }] of former) {
      const reference = this.#leased.has(text) || !isUsed(text) ? null : parseSecretReference(text);
      const backend = reference === null ? null : await this.#options.backendOf(reference.backend, []);
      if (reference === null || backend === null) continue;
      if (givesValues(backend))
        this.#leased.set(text, { value, refresh_after_ms, ask: (abort) => ask(backend, reference, abort) });
    }
  }

  /**
   * The key of a reference, if its backend signs. It has shown that it signs. Null: the backend gives values. Undefined: the key cannot be used, which
   * is reported. Only for references that {@link check} accepted.
   */
  async heldKey(text: string, path: Path): Promise<SigningKey | null | undefined> {
    const { report, backendOf } = this.#options;
    const reference = parseSecretReference(text);
    const backend = reference === null ? null : await backendOf(reference.backend, path);
    if (reference === null || backend === null) return undefined;
    if (!holdsKeys(backend)) return null;
    const answer = await askKey(backend, reference, true);
    if (answer instanceof SecretError) {
      report.error('SVC-POL-008', path, `cannot use the key ${text}: ${answer.message}`);
      return undefined;
    }
    const { key, value, refresh_after_ms } = answer;
    this.#leased.set(text, {
      value,
      refresh_after_ms: refresh_after_ms ?? MIN_REFRESH_MS,
      ask: (abort) => askKey(backend, reference, false, abort),
    });
    return key;
  }

  /** A copy with every reference replaced. Undefined if one could not be resolved, which is reported. Only for values that {@link check} accepted. */
  async resolve(value: unknown, path: Path): Promise<unknown> {
    if (Array.isArray(value)) {
      const items = await Promise.all(value.map((item, index) => this.resolve(item, [...path, index])));
      return items.includes(undefined) ? undefined : items;
    }
    if (isObject(value)) {
      const entries = await Promise.all(
        Object.entries(value).map(async ([key, child]) => [key, await this.resolve(child, [...path, key])] as const),
      );
      return entries.some(([, child]) => child === undefined) ? undefined : Object.fromEntries(entries);
    }
    return typeof value === 'string' && isSecretText(value) ? this.#lookUp(value, path) : value;
  }

  /** For runs without secrets: the value of a {@link check}ed reference to a file that is readable here. Null for other references. */
  async atHand(text: string): Promise<string | null> {
    const reference = parseSecretReference(text);
    if (reference?.backend !== 'file') return null;
    const answer = await ask(fileBackend(this.#options.directory), reference);
    if (answer instanceof SecretError) return null;
    this.keepSecret(answer.value);
    return answer.value;
  }

  /** Registers a secret to be hidden in messages. */
  keepSecret(value: string): void {
    const lines = value.split('\n').map((line) => line.trim());
    for (const part of [value.trim(), ...lines.filter((line) => line.length >= MIN_LINE)]) if (part !== '') this.#known.add(part);
  }

  /** The text without any registered secret. Longer secrets are removed first. */
  hideIn(text: string): string {
    return [...this.#known].sort((a, b) => b.length - a.length).reduce((left, value) => left.replaceAll(value, '[secret]'), text);
  }

  async #isExposed({ path: file }: SecretReference, path: Path): Promise<boolean> {
    const { report, directory } = this.#options;
    const wrong = await exposure(resolve(directory, file));
    if (wrong !== null) report.error('SVC-POL-008', path, wrong);
    return wrong !== null;
  }

  async #lookUp(text: string, path: Path): Promise<string | undefined> {
    const { report, backendOf } = this.#options;
    const reference = parseSecretReference(text);
    const backend = reference === null ? null : await backendOf(reference.backend, path);
    if (reference === null || backend === null || !givesValues(backend)) return undefined;
    const pending = this.#values.get(text) ?? ask(backend, reference);
    this.#values.set(text, pending);
    const answer = await pending;
    if (answer instanceof SecretError) {
      report.error('SVC-POL-008', path, `cannot resolve ${text}: ${answer.message}`);
      return undefined;
    }
    const { value, refresh_after_ms } = answer;
    if (refresh_after_ms !== null)
      this.#leased.set(text, { value, refresh_after_ms, ask: (abort) => ask(backend, reference, abort) });
    this.keepSecret(value);
    return value;
  }
}

function givesValues(backend: AnySecretsBackend): backend is SecretsBackend {
  return 'resolve' in backend;
}

function holdsKeys(backend: AnySecretsBackend): backend is SigningBackend {
  return 'signingKey' in backend;
}

function ask(
  backend: SecretsBackend,
  { path, key, backend: name }: SecretReference,
  abort?: AbortSignal,
): Promise<ResolvedSecret | SecretError> {
  return answered(name, abort, async (signal) => {
    const secret = answerOf(await backend.resolve(path, key, signal));
    // It would count as an unresolved reference: its text is no secret.
    if (secret !== null && isSecretText(secret.value)) return new SecretError(`${name} returned a reference instead of a value`);
    return secret ?? new SecretError(`${name} did not return text`);
  });
}

/** @param probes whether the key has to sign */
function askKey(
  backend: SigningBackend,
  { path, key: label, backend: name }: SecretReference,
  probes: boolean,
  abort?: AbortSignal,
): Promise<ResolvedKey | SecretError> {
  return answered(name, abort, async (signal) => {
    const answer = keyOf(await backend.signingKey(path, label, signal));
    if (answer === null) return new SecretError(`${name} did not return an Ed25519 key`);
    if (probes && !isSignedBy(answer.key.public_key, PROBE, await answer.key.sign(PROBE, signal)))
      return new SecretError(`${name} returned a signature that does not match its public key`);
    return answer;
  });
}

/** Passes on only messages of built-in backends and known reasons, because the message of a plugin may contain a value by mistake. */
async function answered<T>(
  name: string,
  abort: AbortSignal | undefined,
  asked: (signal: AbortSignal) => Promise<T | SecretError>,
): Promise<T | SecretError> {
  const signal = AbortSignal.any([AbortSignal.timeout(RESOLVE_TIMEOUT_MS), ...(abort === undefined ? [] : [abort])]);
  try {
    const answer = await withTimeout(asked(signal), RESOLVE_TIMEOUT_MS, abort);
    return answer.done ? answer.value : new SecretError(`${name} did not answer in ${RESOLVE_TIMEOUT_MS} ms`);
  } catch (error) {
    if (error instanceof SecretError) return error;
    const failure = secretFailureOf(error);
    return new SecretError(
      failure === null ? `${name} failed, or does not have this path or key` : `${name}: ${SECRET_FAILURES[failure]}`,
    );
  }
}

/** Null: not a key. */
function keyOf(answer: unknown): ResolvedKey | null {
  if (!isObject(answer)) return null;
  const key = answer as unknown as SigningKey;
  const { public_key, sign } = key;
  const { refresh_after_ms } = answer;
  if (!(public_key instanceof Uint8Array) || public_key.length !== PUBLIC_KEY_BYTES || typeof sign !== 'function') return null;
  if (typeof refresh_after_ms !== 'number' || !(refresh_after_ms > 0)) return null;
  return { key, value: base64Of(public_key), refresh_after_ms: Math.max(MIN_REFRESH_MS, refresh_after_ms) };
}

/** Null: not a secret. */
function answerOf(answer: unknown): ResolvedSecret | null {
  if (typeof answer === 'string') return answer === '' ? null : { value: answer, refresh_after_ms: null };
  if (!isObject(answer)) return null;
  const { value, refresh_after_ms } = answer;
  if (typeof value !== 'string' || value === '' || typeof refresh_after_ms !== 'number' || !(refresh_after_ms > 0)) return null;
  return { value, refresh_after_ms: Math.max(MIN_REFRESH_MS, refresh_after_ms) };
}
