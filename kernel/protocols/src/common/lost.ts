import { says } from './json-shapes.ts';

/** The fields of a body that another protocol cannot express, as paths of known names without indexes. Names that callers chose appear as `other`. */
export class Lost {
  readonly #known: (name: string) => boolean;
  readonly #paths: string[] = [];

  /** @param known says whether the name of a field or type may be shown */
  constructor(known: (name: string) => boolean) {
    this.#known = known;
  }

  /** In order of first appearance. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  note(parent: string, name: string): void {
    const known = this.#known(name) ? name : 'other';
    const path = parent === '' ? known : `${parent}.${known}`;
    if (!this.#paths.includes(path)) this.#paths.push(path);
  }

  /** Reports every field whose value is neither null nor empty. */
  noteAll(parent: string, fields: object): void {
    for (const [name, value] of Object.entries(fields)) if (says(value)) this.note(parent, name);
  }
}
