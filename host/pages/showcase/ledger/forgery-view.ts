import { byId, element } from '../../shared/dom.ts';
import { type Break, checkChain, isBreak } from './chain.ts';
import { chainPicture, type Mark, read, shortHash } from './chain-picture.ts';
import { type Changed, changeByte, coverHash, coverLinks } from './forge.ts';
import type { ReadRecord } from './record.ts';
import { rootOf } from './tree.ts';
import type { Verdict } from './verify.ts';

/** Characters that are shown on each side of the changed one. */
const AROUND = 60;

type Step = 'changed' | 'hash covered' | 'links covered';

/** Plays a forger on a copy of the newest records, and shows after each step where the proof breaks. Nothing of it leaves the browser. */
export class ForgeryView {
  readonly #place = byId('forgery', HTMLElement);
  readonly #original: readonly ReadRecord[];
  readonly #verdict: Verdict;
  readonly #index: number;
  readonly #change: Changed;
  #records: string[];
  #step: Step = 'changed';

  constructor(records: readonly ReadRecord[], verdict: Verdict) {
    this.#original = records;
    this.#verdict = verdict;
    this.#index = victimOf(records);
    this.#change = changeByte(records[this.#index]?.raw ?? '');
    this.#records = records.map(({ raw }, index) => (index === this.#index ? this.#change.raw : raw));
  }

  async show(): Promise<void> {
    const first = this.#original[0];
    if (first === undefined) return;
    const result = await checkChain(this.#records, { seq: first.seq - 1, hash: first.prev_hash });
    const broken = isBreak(result) ? result : null;
    const root = broken === null ? await this.#root() : null;
    const title = element(
      'h3',
      { tabindex: '-1' },
      `A copy of record ${this.#original[this.#index]?.seq}, with one byte changed`,
    );
    const chain = chainPicture(read(this.#records), (index) => this.#markOf(index, broken), new Set());
    this.#place.replaceChildren(
      title,
      changedText(this.#change),
      chain,
      element('p', { class: 'notice bad' }, this.#finding(broken, root)),
      this.#actions(broken),
    );
    chain.scrollLeft = chain.scrollWidth;
    title.focus({ preventScroll: true });
  }

  #markOf(index: number, broken: Break | null): Mark {
    if (index === broken?.index) return 'broken';
    if (broken !== null && index > broken.index) return 'doubtful';
    if (index === this.#index) return 'changed';
    return index > this.#index ? 'forged' : 'whole';
  }

  #finding(broken: Break | null, root: string | null): string {
    if (broken === null) {
      return `Every record fits now, and still it shows: the tree over this copy has the root ${root?.slice(0, 10)}, the gateway signed ${this.#verdict.head.root.slice(0, 10)}. Whoever kept a signed checkpoint has the proof.`;
    }
    const seq = this.#original[broken.index]?.seq;
    switch (broken.what.kind) {
      case 'hash':
        return `The proof breaks at record ${seq}: its content has the hash ${shortHash(broken.what.computed)}, it says ${shortHash(this.#original[broken.index]?.hash ?? '')}.`;
      case 'link':
        return `The proof breaks at record ${seq}: it stands on a record with the hash ${shortHash(broken.what.found)}, the one before has ${shortHash(broken.what.expected)} now.`;
      case 'seq':
      case 'form':
        return `The proof breaks at record ${seq}: it is no record any more.`;
    }
  }

  #actions(broken: Break | null): HTMLElement {
    const next =
      broken === null
        ? []
        : [
            button(this.#step === 'changed' ? 'Cover it up: give it a new hash' : 'Cover that up: forge all that follow', () =>
              this.#cover(),
            ),
          ];
    const back = button('Throw the copy away', () => {
      this.#place.replaceChildren();
      byId('change-byte', HTMLButtonElement).focus();
    });
    return element('div', { class: 'actions' }, ...next, back);
  }

  async #cover(): Promise<void> {
    const cover = this.#step === 'changed' ? coverHash : coverLinks;
    this.#step = this.#step === 'changed' ? 'hash covered' : 'links covered';
    this.#records = await cover(this.#records, this.#index);
    await this.show();
  }

  /** Of the whole ledger, with the copy in the place of what it copies. */
  #root(): Promise<string> {
    const { hashes, head } = this.#verdict;
    const first = (this.#original[0]?.seq ?? 1) - 1;
    const forged = read(this.#records).map(({ hash }) => hash);
    const all = [...hashes.slice(0, first), ...forged, ...hashes.slice(first + forged.length)];
    return rootOf(all.slice(0, head.size));
  }
}

/** The newest evidence that has two records after it, or one, so that covering it up takes work; else the last record. */
function victimOf(records: readonly ReadRecord[]): number {
  for (const behind of [2, 1, 0]) {
    const before = records.slice(0, Math.max(records.length - behind, 0));
    const index = before.findLastIndex(({ content }) => content.record_type === 'run_evidence');
    if (index >= 0) return index;
  }
  return records.length - 1;
}

function changedText({ raw, at, before, after }: Changed): HTMLElement {
  const from = Math.max(at - AROUND, 0);
  return element(
    'p',
    { class: 'bytes' },
    from > 0 ? '…' : '',
    raw.slice(from, at),
    element('del', {}, before),
    element('ins', {}, after),
    raw.slice(at + 1, at + AROUND),
    '…',
  );
}

function button(text: string, press: () => void | Promise<void>): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', () => void press());
  return made;
}
