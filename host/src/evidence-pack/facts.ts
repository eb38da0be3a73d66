import type { ModelInventory, Operation, RunEvidence } from '@svc/contracts';
import type { PackInfo } from './files.ts';
import type { CosignedBy, StampedBy } from './trust.ts';

const JUDGE = '@svc/guard-judge';
const TOOLS = '@svc/guard-tools';
/** The code of `guard-tools` for a tool whose definition is not the reviewed one. */
const CHANGED_PIN = 'changed-pin';

/** What the verified records of a pack show. Runs and operations are those of the period. */
export interface PackFacts {
  readonly from: string;
  readonly to: string;
  readonly ledger: {
    readonly origin: string;
    /** `seq` of the first and the last record in the pack, and the size of the newest checkpoint. */
    readonly first: number;
    readonly last: number;
    readonly size: number;
    /** Whether a later record shows that the pack has all runs until `to`. */
    readonly closed: boolean;
    readonly signed_by: readonly string[];
  };
  readonly cosigned: CosignedBy;
  readonly timestamped: StampedBy;
  readonly runs: RunFacts;
  readonly operations: OperationFacts & {
    /** Whether a later operation shows that the pack has all operations until `to`. */
    readonly closed: boolean;
  };
  readonly routes: RouteFacts;
  readonly sessions: number;
}

export interface RunFacts {
  ended: number;
  /** When the first one ended, ISO 8601, and the `seq` of its record. Null: no run. */
  first_at: string | null;
  first_seq: number | null;
  of_session: number;
  with_user: number;
  with_client: number;
  with_usage: number;
  /** Stopped by an operator. */
  stopped: number;
  paused: number;
  expired: number;
  /** Runs whose wait expired, and which then ended as denied. */
  expired_denied: number;
  decisions: number;
  /** Decisions signed by a passkey. */
  signed: number;
  /** Decisions of people that an issuer has verified. */
  by_person: number;
  escalated: number;
  /** Verdicts of a model on a request or answer. */
  judged: number;
  tool_verdicts: number;
  changed_tools: number;
}

export interface OperationFacts {
  all: number;
  state_changes: number;
  /** Changes that disabled a route, a provider or a principal. */
  stops: number;
  keys_rotated: number;
  erasures: number;
  starts: number;
  configurations: number;
}

export interface RouteFacts {
  all: number;
  with_owner: number;
  with_review: number;
}

/** Collects the facts of a period. Its memory grows with the routes only. */
export class FactCollector {
  readonly runs: RunFacts = {
    ended: 0,
    first_at: null,
    first_seq: null,
    of_session: 0,
    with_user: 0,
    with_client: 0,
    with_usage: 0,
    stopped: 0,
    paused: 0,
    expired: 0,
    expired_denied: 0,
    decisions: 0,
    signed: 0,
    by_person: 0,
    escalated: 0,
    judged: 0,
    tool_verdicts: 0,
    changed_tools: 0,
  };
  readonly operations: OperationFacts = {
    all: 0,
    state_changes: 0,
    stops: 0,
    keys_rotated: 0,
    erasures: 0,
    starts: 0,
    configurations: 0,
  };
  readonly #routes = new Map<string, Pick<ModelInventory, 'model_owner' | 'next_review_date'>>();
  readonly #period: Pick<PackInfo, 'from' | 'to'>;

  constructor(period: Pick<PackInfo, 'from' | 'to'>) {
    this.#period = period;
  }

  /** Whether a time, ISO 8601, is in the period. */
  includes(time: string): boolean {
    return time >= this.#period.from && time < this.#period.to;
  }

  /** @param run that ended in the period */
  addRun({ seq, completed_at, events, status, session, user, client }: RunEvidence): void {
    const { runs } = this;
    runs.ended += 1;
    if (runs.first_at === null || completed_at < runs.first_at) [runs.first_at, runs.first_seq] = [completed_at, seq];
    if (session !== undefined) runs.of_session += 1;
    if (user !== undefined) runs.with_user += 1;
    if (client !== undefined) runs.with_client += 1;
    const has = (type: string): boolean => events.some(({ event_type }) => event_type === type);
    if (has('stopped')) runs.stopped += 1;
    if (has('paused')) runs.paused += 1;
    if (has('expired')) runs.expired += 1;
    if (has('expired') && status === 'denied') runs.expired_denied += 1;
    if (events.some(({ data }) => data.usage !== undefined)) runs.with_usage += 1;
    for (const event of events) this.#addEvent(event);
  }

  #addEvent({ event_type, data }: RunEvidence['events'][number]): void {
    const { runs } = this;
    if (event_type === 'escalated') runs.escalated += 1;
    if (event_type === 'decision') {
      runs.decisions += 1;
      if (data.signed !== undefined) runs.signed += 1;
      if (typeof data.issuer === 'string') runs.by_person += 1;
    }
    if (event_type !== 'verdict') return;
    if (data.package === JUDGE) runs.judged += 1;
    if (data.package === TOOLS) runs.tool_verdicts += 1;
    if (data.package === TOOLS && data.code === CHANGED_PIN) runs.changed_tools += 1;
  }

  addOperation({ at, action, target, change }: Operation): void {
    if (!this.includes(at)) return;
    const { operations } = this;
    operations.all += 1;
    if (action === 'state.changed') operations.state_changes += 1;
    // A disabled guard lets more through.
    if (action === 'state.changed' && target.kind !== 'guard' && change.state === 'disabled') operations.stops += 1;
    if (action === 'key.rotated') operations.keys_rotated += 1;
    if (action === 'content.erased') operations.erasures += 1;
    if (action === 'gateway.started') operations.starts += 1;
    if (action === 'configuration.applied') operations.configurations += 1;
  }

  /** Takes the records in the order of the ledger: the last one of a route counts. */
  addRoute({ model_id, model_owner, next_review_date }: ModelInventory): void {
    this.#routes.set(model_id, { model_owner, next_review_date });
  }

  get routes(): RouteFacts {
    const routes = [...this.#routes.values()];
    return {
      all: routes.length,
      with_owner: routes.filter(({ model_owner }) => model_owner !== null).length,
      with_review: routes.filter(({ next_review_date }) => next_review_date !== null).length,
    };
  }
}
