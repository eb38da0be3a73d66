/**
 * What of a request a door leaves behind, by paths of known names: callers choose names too, and those must not stand in events. Absent is
 * what says nothing: null, and what is empty.
 */
export class LeftBehind {
  readonly #known: ReadonlySet<string>;
  readonly #paths: string[] = [];

  /** @param known the protocol's names of fields and types */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** In order of appearance. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  note(parent: string, name: string): void {
    const known = this.#known.has(name) ? name : 'other';
    const path = parent === '' ? known : `${parent}.${known}`;
    if (!this.#paths.includes(path)) this.#paths.push(path);
  }

  /** Every field that says something. */
  noteAll(parent: string, fields: object): void {
    for (const [name, value] of Object.entries(fields)) if (says(value)) this.note(parent, name);
  }
}

function says(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== null && value !== undefined && value !== '';
}
