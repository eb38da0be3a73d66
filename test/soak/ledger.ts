import type { EventData, LedgerRecord, RunEvidence } from '@svc/contracts';
import type { TestGateway } from '../harness/gateway.ts';
import { UNBUDGETED } from './config.ts';
import { until } from './faults.ts';

const PAGE = 1_000;
/** Outcomes of a call that never reached the model. */
const NOT_CALLED: readonly string[] = ['skipped', 'unsupported', 'configuration'];

export interface Spent {
  tokens: number;
  micro_usd: number;
  /** Calls whose cost is known, and those that may have cost something. */
  calls: number;
  unknown: number;
}

/** What the ledger says, added up page by page. */
export class LedgerSums {
  /** Hash by seq. */
  readonly hashes: string[] = [];
  /** `seq hash`, and the final status, by run. */
  readonly runs = new Map<string, { readonly evidence: string; readonly status: string }>();
  readonly statuses: Record<string, number> = {};
  /** Runs with more than one record. */
  readonly doubled: string[] = [];
  /** On all routes, and on those with the budget. */
  readonly all: Spent = { tokens: 0, micro_usd: 0, calls: 0, unknown: 0 };
  readonly budgeted: Spent = { tokens: 0, micro_usd: 0, calls: 0, unknown: 0 };

  static async read(gateway: TestGateway): Promise<LedgerSums> {
    const sums = new LedgerSums();
    for (let since = 0, more = true; more; ) {
      const read = () => gateway.get(`/v1/audit/ledger?since_seq=${since}&limit=${PAGE}`, 'auditor');
      let page = await read();
      // After a start, a large ledger is still being checked.
      await until('the check of the ledger', async () => {
        if (page.status === 503) page = await read();
        return page.status !== 503;
      });
      const { body } = page;
      for (const record of body.records as LedgerRecord[]) sums.#add(record);
      more = body.records.length === PAGE;
      since += body.records.length;
    }
    return sums;
  }

  #add(record: LedgerRecord): void {
    this.hashes[record.seq] = record.hash;
    if (record.record_type !== 'run_evidence') return;
    const { run_id, seq, hash, status, model_id } = record;
    if (this.runs.has(run_id)) this.doubled.push(run_id);
    this.runs.set(run_id, { evidence: `${seq} ${hash}`, status });
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    addSpent(this.all, record);
    if (model_id !== UNBUDGETED) addSpent(this.budgeted, record);
  }
}

function addSpent(spent: Spent, { events }: RunEvidence): void {
  for (const { event_type, data } of events) {
    if (event_type === 'interrupted' && data.spend === 'unknown') spent.unknown += 1;
    if (event_type === 'provider_call') addCall(spent, data as EventData<'provider_call'>);
  }
}

function addCall(spent: Spent, { outcome, usage, price }: EventData<'provider_call'>): void {
  if (NOT_CALLED.includes(outcome)) return;
  if (usage === undefined) spent.unknown += 1;
  else spent.calls += 1;
  spent.tokens += (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  spent.micro_usd += price?.micro_usd ?? 0;
}
