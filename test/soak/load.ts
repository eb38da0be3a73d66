import type { TestGateway } from '../harness/gateway.ts';
import type { Seen } from './client.ts';
import { Kept, KINDS, type Kind, type KindName } from './requests.ts';

/** Errors that a client may get, besides those it asked for. Each names a fault that the soak makes, or its consequence. */
const FAULT_CODES: ReadonlySet<string> = new Set([
  'SVC-BUSY-001', // too much waits, for example behind a disk
  'SVC-BUSY-002', // the gateway is stopping
  'SVC-PROV-001', // the model fails
  'SVC-PROV-002', // the model is silent
  'SVC-PROV-004',
  'SVC-PROV-008',
  'SVC-STORE-001', // the disk is full
  'server_error', // the code of a failed stream of the Responses API, whatever failed
]);
/** A gateway that answers nothing must not fill the memory of the soak. */
const MAX_OPEN = 5_000;
const TEXTS = [
  'Please write a short answer about the parcel.',
  'I am Ann Lee, ann.lee@example.org, account ACC-1234. What is my balance?',
  'Summarise: the meeting of the team on Monday was about the budget of next year, and who travels to Lisbon.',
  'My card 4111 1111 1111 1111 was charged twice, call me at +49 30 901820.',
];

/** Of an answered run, what the ledger must have. */
export interface Receipt {
  readonly run_id: string;
  readonly evidence: string;
}

export interface Sample {
  readonly kind: KindName;
  /** Seconds since the start. */
  readonly at: number;
  readonly ms: number;
  /** `answered`, `broken`, `hung`, or the code of the error. */
  readonly result: string;
  /** What was wrong with it; null if nothing. */
  readonly fault: string | null;
}

/** Sends requests at a steady rate, whatever the answers are, and keeps what clients saw. */
export class Load {
  readonly samples: Sample[] = [];
  readonly receipts: Receipt[] = [];
  readonly kept = new Kept();
  readonly #gateway: TestGateway;
  readonly #random: () => number;
  readonly #open = new Set<Promise<void>>();
  /** Start of the load, in milliseconds of the monotonic clock. */
  readonly began: number;
  #asked = 0;

  constructor(gateway: TestGateway, random: () => number) {
    this.#gateway = gateway;
    this.#random = random;
    this.began = performance.now();
  }

  send(): void {
    if (this.#open.size >= MAX_OPEN) throw new Error(`${MAX_OPEN} requests have no answer`);
    const sent = this.#send(this.#pick()).finally(() => this.#open.delete(sent));
    this.#open.add(sent);
  }

  async finished(): Promise<void> {
    await Promise.all(this.#open);
  }

  #pick(): KindName {
    const kinds = Object.entries(KINDS) as [KindName, Kind][];
    const total = kinds.reduce((sum, [, { share }]) => sum + share, 0);
    let left = this.#random() * total;
    for (const [name, { share }] of kinds) {
      left -= share;
      if (left < 0) return name;
    }
    return 'chat';
  }

  async #send(name: KindName): Promise<void> {
    const kind: Kind = KINDS[name];
    this.#asked += 1;
    const text = `${TEXTS[this.#asked % TEXTS.length]} Question ${this.#asked}.`;
    const began = performance.now();
    const seen = await kind.send(this.#gateway, text, this.kept);
    const ms = performance.now() - began;
    const result = resultOf(seen, kind);
    const isKnown = result === 'answered' || result === 'broken' || FAULT_CODES.has(result);
    const fault = isKnown ? null : `${name}: ${result}, status ${seen.status}: ${seen.text.slice(-300)}`;
    this.samples.push({ kind: name, at: (began - this.began) / 1000, ms, result, fault });
    if (result === 'answered') this.#keep(seen);
  }

  #keep({ headers, text }: Seen): void {
    const run_id = headers.get('x-svc-run-id');
    const evidence = headers.get('x-svc-evidence') ?? /"svc_evidence":"([^"]+)"/.exec(text)?.[1];
    if (run_id === null || evidence === undefined) return;
    this.receipts.push({ run_id, evidence });
    this.kept.answered = run_id;
  }
}

/** What a client got. An error in a stream that has begun counts like one with its own status. */
function resultOf({ status, text, hung }: Seen, { status: expected, has = '' }: Kind): string {
  if (hung) return 'hung';
  if (status === 0) return 'broken';
  if (status === expected && text.includes(has) && (expected !== 200 || !text.includes('"error":{'))) return 'answered';
  const [, code] =
    /"code":"(SVC-[A-Z]+-\d+)"/.exec(text) ?? /"type":"response\.failed".*"error":\{"code":"([a-z_]+)"/.exec(text) ?? [];
  return code ?? (status === 200 && expected === 200 ? 'incomplete' : 'unnamed');
}
