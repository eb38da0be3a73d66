import type { LedgerFault } from '@svc/ledger/chain';
import { ApiError, problemText } from '../../shared/api-error.ts';
import { byId, element, say, showProblem } from '../../shared/dom.ts';
import { icon } from '../../shared/icon.ts';
import type { Session } from '../../shared/session.ts';
import { chainPicture } from './chain-picture.ts';
import { Feed } from './feed.ts';
import { ForgeryView } from './forgery-view.ts';
import { type Verdict, verifyLedger } from './verify.ts';

const POLL_MS = 5000;

/** The live ledger, its verification in the browser, and the tampering demo. */
export class LedgerView {
  readonly #session: Session;
  readonly #feed: Feed;
  #verdict: Verdict | null = null;
  #busy = false;
  #reading: Promise<void> | null = null;

  constructor(session: Session) {
    this.#session = session;
    this.#feed = new Feed(session.api);
  }

  async begin(): Promise<void> {
    const refusal = refusalOf(this.#session);
    const check = byId('check-chain', HTMLButtonElement);
    const change = byId('change-byte', HTMLButtonElement);
    if (refusal !== null) {
      check.hidden = true;
      change.hidden = true;
      return showProblem(problem(), refusal);
    }
    check.addEventListener('click', () => void this.#work(() => this.#check()));
    change.addEventListener('click', () => void this.#work(() => this.#forge()));
    await this.refresh();
    setInterval(() => {
      if (document.visibilityState === 'visible') void this.refresh();
    }, POLL_MS);
  }

  /** Shows new records. */
  refresh(): Promise<void> {
    if (refusalOf(this.#session) !== null) return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const before = this.#feed.length;
    try {
      await this.#feed.refresh();
      if (this.#feed.length === before) return;
      const fresh = new Set(before === 0 ? [] : this.#feed.records.map(({ seq }) => seq).filter((seq) => seq > before));
      const chain = chainPicture(this.#feed.records, () => 'whole', fresh);
      byId('chain', HTMLElement).replaceChildren(chain);
      chain.scrollLeft = chain.scrollWidth;
      say(
        byId('ledger-size', HTMLElement),
        this.#feed.length === 1 ? '1 record' : `${this.#feed.length.toLocaleString('en')} records`,
      );
      showProblem(problem(), null);
    } catch (error) {
      showProblem(problem(), ledgerProblem(error));
    }
  }

  async #check(): Promise<void> {
    const place = byId('proof', HTMLElement);
    const bar = element('progress', { max: String(Math.max(this.#feed.length, 1)), value: '0', 'aria-label': 'records checked' });
    place.replaceChildren(bar);
    const result = await verifyLedger(this.#session.api, (checked) => {
      bar.value = checked;
    });
    this.#verdict = 'hashes' in result ? result : null;
    place.replaceChildren(...('hashes' in result ? proofView(result) : [brokenView(result)]));
  }

  async #forge(): Promise<void> {
    if (this.#verdict === null || this.#verdict.hashes.length < this.#feed.length) await this.#check();
    const records = this.#feed.records;
    // Records that arrived after the check are left out.
    const known = records.filter(({ seq }) => seq <= (this.#verdict?.hashes.length ?? 0));
    if (this.#verdict !== null && known.length > 0) new ForgeryView(known, this.#verdict).show();
  }

  async #work(work: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.refresh();
      await work();
      showProblem(problem(), null);
    } catch (error) {
      byId('proof', HTMLElement).replaceChildren();
      showProblem(problem(), ledgerProblem(error));
    }
    this.#busy = false;
  }
}

function problem(): HTMLElement {
  return byId('ledger-problem', HTMLElement);
}

/** Why this visitor cannot read or verify the ledger here; null if they can. */
function refusalOf(session: Session): string | null {
  if (!session.may('audit')) return 'This key cannot read the ledger: it does not have the role audit.';
  return null;
}

function ledgerProblem(error: unknown): string {
  const bound = error instanceof ApiError && error.code === 'SVC-AUTH-002';
  return bound ? 'This key is limited to some routes, and verification needs the whole ledger.' : problemText(error);
}

function proofView({ hashes, head, fits, took_ms }: Verdict): HTMLElement[] {
  const count = hashes.length.toLocaleString('en');
  const lines: [boolean, string][] = [
    [true, `${count} records, each with a correct hash`],
    [true, 'each record links to the previous one, back to the first'],
    [
      fits,
      fits
        ? `the Merkle root matches the checkpoint of ${head.origin}`
        : `the Merkle root does not match the checkpoint of ${head.origin}`,
    ],
  ];
  const items = lines.map(([holds, text]) =>
    element('li', { class: holds ? 'good' : 'bad' }, icon(holds ? 'check' : 'cross'), text),
  );
  return [
    element('ul', { class: 'proofs' }, ...items),
    element(
      'p',
      { class: 'hint' },
      `Verified in ${Math.round(took_ms)} ms by this browser. The signature is not checked here; use svc ledger verify.`,
    ),
  ];
}

function brokenView({ seq, why }: LedgerFault): HTMLElement {
  return element('p', { class: 'notice bad' }, `The gateway’s ledger is broken at record ${seq} (${why}).`);
}
