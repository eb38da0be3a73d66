import type { StoredRun } from '../shared/api-types.ts';
import { byId } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { Contents } from './contents.ts';
import { factsText, matches, termsOf } from './search.ts';
import type { Group } from './waiting-runs.ts';

/** The contents are read when the visitor has stopped typing. */
const TYPING_MS = 300;

/** The search. It searches the list at once, and the contents after they were read for the first search. */
export class SearchBox {
  readonly #session: Session;
  readonly #contents: Contents;
  readonly #changed: () => void;
  readonly #field = byId('search', HTMLInputElement);
  readonly #progress = byId('reading', HTMLElement);
  #groups: readonly Group[] = [];
  #typing: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;

  /** @param changed called when other requests may match; `isNew`: the visitor has changed the search */
  constructor(session: Session, changed: (isNew: boolean) => void) {
    this.#session = session;
    this.#contents = new Contents(session.api);
    this.#changed = () => changed(false);
    this.#field.addEventListener('input', () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => {
        this.#typing = undefined;
        void this.#read();
      }, TYPING_MS);
      changed(true);
    });
  }

  get #terms(): readonly string[] {
    return termsOf(this.#field.value);
  }

  get isActive(): boolean {
    return this.#terms.length > 0;
  }

  /** Whether more requests may turn out to match. */
  get isReading(): boolean {
    return this.#isReading || this.#typing !== undefined;
  }

  set query(text: string) {
    this.#field.value = text;
  }

  /** The pending requests, whenever they have changed. */
  update(groups: readonly Group[], runs: ReadonlyMap<string, StoredRun>): void {
    this.#groups = groups;
    this.#contents.keep(runs);
    byId('search-form', HTMLElement).hidden = groups.length === 0 && !this.isActive;
    if (this.isActive) void this.#read();
  }

  matches(runs: readonly StoredRun[]): boolean {
    const texts = runs.flatMap((run) => [factsText(run, this.#session.route(run.route)), this.#contents.textOf(run)]);
    return matches(this.#terms, texts);
  }

  get #readable(): readonly StoredRun[] {
    const runs = this.#groups.map(([oldest]) => oldest);
    return runs.filter(({ cannot_approve = 'approved' }) => ['approved', 'passkey'].includes(cannot_approve));
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // Requests may arrive meanwhile.
    while (this.isActive && !this.#readable.every((run) => this.#contents.isRead(run))) await this.#readMissing();
    this.#isReading = false;
    const { failures } = this.#contents;
    const texts = failures === 1 ? 'The text of one request' : `The texts of ${failures} requests`;
    this.#progress.textContent = failures === 0 ? '' : `${texts} could not be searched.`;
    this.#changed();
  }

  async #readMissing(): Promise<void> {
    const runs = this.#readable;
    let shown_at = Date.now();
    const progress = (left: number): void => {
      if (Date.now() - shown_at < TYPING_MS) return;
      shown_at = Date.now();
      this.#progress.textContent = `Searching the texts: ${left} of ${runs.length} left.`;
      this.#changed();
    };
    await this.#contents.read(runs, progress, () => !this.isActive);
  }
}
