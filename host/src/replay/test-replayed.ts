import type { RunRow } from '@svc/contracts';
import { changeOf, type GuardAct, type LeftOut, type Replayed } from '@svc/runtime';

interface Facts {
  readonly route?: string;
  readonly session?: string;
  readonly day?: string;
  readonly left_out?: LeftOut;
  readonly before?: Partial<Effects>;
  readonly after?: Partial<Effects>;
  readonly asked?: readonly string[];
  readonly failed?: readonly string[];
}

interface Effects {
  readonly blocked: GuardAct | null;
  readonly paused: readonly GuardAct[];
  readonly masked: readonly GuardAct[];
}

const NOTHING: Effects = { blocked: null, paused: [], masked: [] };
let number = 0;

export const act = (node: string, code = node): GuardAct => ({ stage: 'ingress', node, code });

/** A replayed run with a new id. */
export function replayed(facts: Facts = {}): Replayed {
  const { route = 'default', session, day = '2026-11-20', left_out, asked = [], failed = [] } = facts;
  number += 1;
  const row: RunRow = {
    run_id: `run-${number}`,
    route,
    principal_id: 'alice',
    status: 'completed',
    approvers: [],
    events: [],
    config_digest: '',
    created_at: `${day}T12:00:00.000Z`,
    expires_at: null,
    approver: null,
    owner: '',
    version: 2,
    evidence: null,
    ...(session !== undefined && { session }),
  };
  const [before, after] = [facts.before, facts.after].map((effect) => ({ ...NOTHING, ...effect })) as [Effects, Effects];
  const change = changeOf(before, after);
  return { row, result: left_out ?? { before, after, change, asked, failed, lacks_answer: false } };
}
