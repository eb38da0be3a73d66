import { says } from './json-shapes.ts';

/**
 * The fields of a body that another protocol cannot express, by paths of known names without indexes. Names that callers chose are shown as `other`.
 */
export class Lost {
  readonly #known: (name: string) => boolean;
  readonly #paths: string[] = [];

  /** @param known whether a name of a field or a type may be shown */
  constructor(known: (name: string) => boolean) {
    this.#known = known;
  }

  /** In order of appearance. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  note(parent: string, name: string): void {
    const known = this.#known(name) ? name : 'other';
    const path = parent === '' ? known : `${parent}.${known}`;
    if (!this.#paths.includes(path)) this.#paths.push(path);
  }

  /** Every field with a value that is neither null nor empty. */
  noteAll(parent: string, fields: object): void {
    for (const [name, value] of Object.entries(fields)) if (says(value)) this.note(parent, name);
  }
}
