import { knownPath } from '@svc/protocols';

/** The parts of a request that a door removes, as paths of known names. Names that callers choose must not appear in events. */
export class UnsupportedFields {
  readonly #paths: string[] = [];

  /** In the order of their first appearance. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  note(parent: string, name: string): void {
    const path = knownPath(parent === '' ? name : `${parent}.${name}`);
    if (!this.#paths.includes(path)) this.#paths.push(path);
  }
}
