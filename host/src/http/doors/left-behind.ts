import { knownPath } from '@svc/protocols';

/** What of a request a door takes out, by paths of known names: callers choose names too, and those must not stand in events. */
export class LeftBehind {
  readonly #paths: string[] = [];

  /** In order of appearance. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  note(parent: string, name: string): void {
    const path = knownPath(parent === '' ? name : `${parent}.${name}`);
    if (!this.#paths.includes(path)) this.#paths.push(path);
  }
}
