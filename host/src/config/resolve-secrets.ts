import { resolve } from 'node:path';
import { isObject, type SecretsBackend, withTimeout } from '@svc/contracts';
import { exposure } from '../key-storage/private-file.ts';
import type { Path } from './diagnostic.ts';
import { stringsOf } from './json-shape.ts';
import type { Report } from './report.ts';
import { fileBackend, SecretError } from './secret-backends.ts';
import { isSecretText, parseSecretReference, type SecretReference } from './secret-reference.ts';

const RESOLVE_TIMEOUT_MS = 10_000;
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
  readonly backendOf: (name: string, path: Path) => Promise<SecretsBackend | null>;
}

/** Replaces `secret://` references with their values. Each reference is resolved once. */
export class Secrets {
  readonly #options: SecretsOptions;
  readonly #values = new Map<string, Promise<string | SecretError>>();
  readonly #known = new Set<string>();

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /** Reports malformed references, references without a backend, and files that other users may access. Returns whether all references are valid. */
  async check(value: unknown, path: Path): Promise<boolean> {
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
      if (reference === null || (await backendOf(reference.backend, below)) === null) well = false;
      else if (reference.backend === 'file' && (await this.#isExposed(reference, below))) well = false;
    }
    return well;
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
    const value = await ask(fileBackend(this.#options.directory), reference);
    if (value instanceof SecretError) return null;
    this.keepSecret(value);
    return value;
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
    if (reference === null || backend === null) return undefined;
    const pending = this.#values.get(text) ?? ask(backend, reference);
    this.#values.set(text, pending);
    const value = await pending;
    if (value instanceof SecretError) {
      report.error('SVC-POL-008', path, `cannot resolve ${text}: ${value.message}`);
      return undefined;
    }
    this.keepSecret(value);
    return value;
  }
}

/** Passes on only messages of built-in backends, because a plugin's message may contain a value by mistake. */
async function ask(backend: SecretsBackend, { path, key, backend: name }: SecretReference): Promise<string | SecretError> {
  try {
    const answer = await withTimeout<unknown>(Promise.resolve(backend.resolve(path, key)), RESOLVE_TIMEOUT_MS);
    if (!answer.done) return new SecretError(`${name} did not answer in ${RESOLVE_TIMEOUT_MS} ms`);
    const { value } = answer;
    if (value instanceof SecretError) return value;
    return typeof value === 'string' && value !== '' ? value : new SecretError(`${name} did not return text`);
  } catch (error) {
    return error instanceof SecretError ? error : new SecretError(`${name} failed, or does not have this path or key`);
  }
}
