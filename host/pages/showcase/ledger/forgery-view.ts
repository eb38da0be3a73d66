import { base64Of, hashOf, TreeHash } from '@svc/ledger/chain';
import { byId, element } from '../../shared/dom.ts';
import { type Break, breakOf } from './chain.ts';
import { chainPicture, type Mark, shortHash } from './chain-picture.ts';
import { type Changed, changeByte, coverHash, coverLinks } from './forge.ts';
import { type ShownRecord, shownRecord } from './record.ts';
import type { Verdict } from './verify.ts';

/** Characters shown on each side of the changed one. */
const AROUND = 60;

type Step = 'changed' | 'hash covered' | 'links covered';

/** Tampers with a copy of the newest records and shows after each step where verification fails. The copy never leaves the browser. */
export class ForgeryView {
  readonly #place = byId('forgery', HTMLElement);
  readonly #original: readonly ShownRecord[];
  readonly #verdict: Verdict;
  readonly #index: number;
  readonly #change: Changed;
  #records: string[];
  #step: Step = 'changed';

  constructor(records: readonly ShownRecord[], verdict: Verdict) {
    this.#original = records;
    this.#verdict = verdict;
    this.#index = victimOf(records);
    this.#change = changeByte(records[this.#index]?.raw ?? '');
    this.#records = records.map(({ raw }, index) => (index === this.#index ? this.#change.raw : raw));
  }

  show(): void {
    const first = this.#original[0];
    if (first === undefined) return;
    const broken = breakOf(this.#records, { seq: first.seq - 1, hash: first.prev_hash });
    const title = element('h3', { tabindex: '-1' }, `A copy of record ${this.#original[this.#index]?.seq} with one byte changed`);
    const chain = chainPicture(this.#records.map(shownRecord), (index) => this.#markOf(index, broken), new Set());
    this.#place.replaceChildren(
      title,
      changedText(this.#change),
      chain,
      element('p', { class: 'notice bad' }, this.#finding(broken)),
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

  #finding(broken: Break | null): string {
    if (broken === null) {
      return `All hashes and links are valid now, but the forgery is still detectable: the Merkle root of this copy is ${this.#root().slice(0, 10)}, the signed checkpoint says ${base64Of(this.#verdict.head.root).slice(0, 10)}. Anyone who kept that checkpoint can prove the change.`;
    }
    const { seq, hash, prev_hash, raw, content } = shownRecord(this.#records[broken.index] ?? '');
    switch (broken.why) {
      case 'wrong_hash':
        return `Verification fails at record ${seq}: its content hashes to ${shortHash(hashOf(raw, content))}, but the record says ${shortHash(hash)}.`;
      case 'wrong_prev_hash':
        return `Verification fails at record ${seq}: it links to ${shortHash(prev_hash)}, but the previous record now has the hash ${shortHash(broken.after.hash)}.`;
      default:
        return `Verification fails at record ${seq}: it is no longer a valid record.`;
    }
  }

  #actions(broken: Break | null): HTMLElement {
    const next =
      broken === null
        ? []
        : [
            button(this.#step === 'changed' ? 'Next: recompute this hash' : 'Next: recompute all later hashes', () =>
              this.#cover(),
            ),
          ];
    const back = button('Discard the copy', () => {
      this.#place.replaceChildren();
      byId('change-byte', HTMLButtonElement).focus();
    });
    return element('div', { class: 'actions' }, ...next, back);
  }

  #cover(): void {
    const cover = this.#step === 'changed' ? coverHash : coverLinks;
    this.#step = this.#step === 'changed' ? 'hash covered' : 'links covered';
    this.#records = cover(this.#records, this.#index);
    this.show();
  }

  /** Root of the whole ledger with the copy in place of the original records, base64. */
  #root(): string {
    const { hashes, head } = this.#verdict;
    const first = (this.#original[0]?.seq ?? 1) - 1;
    const forged = this.#records.map((raw) => shownRecord(raw).hash);
    const tree = new TreeHash();
    for (const hash of hashes.toSpliced(first, forged.length, ...forged).slice(0, head.size)) tree.append(hash);
    return base64Of(tree.root());
  }
}

/** The newest run record followed by two others, or by one, so that hiding the change takes work; else the last record. */
function victimOf(records: readonly ShownRecord[]): number {
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

function button(text: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', press);
  return made;
}
