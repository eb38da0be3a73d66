import type { FieldTable } from '@svc/contracts';

/** Records, by path, what a table says about each string and key of a body. Skips words of closed vocabularies and the gateway's own fields. */
export class Walk {
  readonly shown = new Map<string, string>();
  readonly opaque = new Map<string, string>();
  readonly passed = new Map<string, string>();
  readonly #table: FieldTable;

  constructor(table: FieldTable) {
    this.#table = table;
  }

  /** Visits a body in the order of the engine. */
  visit(value: unknown, pattern = '', path = '', within: object = {}): this {
    if (typeof value === 'string') this.#string(value, pattern, path, within);
    else if (Array.isArray(value)) {
      for (const [index, member] of value.entries()) this.visit(member, step(pattern, '*'), step(path, String(index)), value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        const isKnown = this.#table.isKnownField(key);
        if (!isKnown) this.shown.set(`${step(path, key)} (key)`, key);
        this.visit(member, step(pattern, isKnown ? key : '?'), step(path, key), value);
      }
    }
    return this;
  }

  #string(value: string, pattern: string, path: string, within: object): void {
    const { isOwn, vocabulary, opaqueKind } = this.#table.placeOf(pattern);
    const skipped = opaqueKind?.(value, within) ?? null;
    if (isOwn || vocabulary.has(value)) this.passed.set(path, value);
    else if (skipped !== null && !skipped.readable) this.opaque.set(path, value);
    else this.shown.set(path, value);
  }
}

function step(path: string, part: string): string {
  return path === '' ? part : `${path}.${part}`;
}
