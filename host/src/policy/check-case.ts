import { isDeepStrictEqual } from 'node:util';
import { isSvcError, type RunRow } from '@svc/contracts';
import { protocolsWith } from '@svc/protocols';
import { type AskedGuards, askGuards, type OfflineRoute } from '@svc/runtime';
import { verdictOf } from '../http/doors/check.ts';
import { readCheck } from '../http/doors/checked-body.ts';
import type { Candidate } from '../replay/candidate.ts';
import type { PolicyCase } from './cases.ts';

/** What the guards answered, without text of the case. */
export interface Answered {
  readonly verdict: string;
  readonly guard: string | null;
  readonly code: string | null;
  readonly findings: readonly string[];
}

export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  /** Why the guards could not be asked. Null: they were. */
  readonly problem: string | null;
  /** Fields of `expect` that differ. */
  readonly differs: readonly string[];
  /** Without texts. */
  readonly expected: Omit<PolicyCase['expect'], 'text' | 'texts'>;
  /** Null if the guards could not be asked. */
  readonly answered: Answered | null;
  /** Guards of the route that were not asked. */
  readonly not_asked: readonly string[];
}

/** Asks the guards of a case's route, and compares. Calls no model and no service. */
export async function checkCase({ name, expect, ...asked }: PolicyCase, candidate: Candidate): Promise<CaseResult> {
  const route = candidate.routes.get(asked.route);
  const { text: _text, texts: _texts, ...expected } = expect;
  const failed = (problem: string): CaseResult => ({
    ...{ name, passed: false, problem, differs: [], expected, answered: null },
    not_asked: [],
  });
  if (route === undefined) return failed(`the configuration has no route ${asked.route}`);
  try {
    const body = readCheck(asked, protocolsWith(candidate.protocols));
    const outcome = await ask(body, route, candidate);
    const { stop } = outcome;
    if (stop !== null && stop.kind !== 'blocked' && stop.kind !== 'paused')
      return failed(`the guards could not be asked${stop.kind === 'failed' ? `: ${stop.error.code}` : ''}`);
    const { verdict, guard, code, findings } = verdictOf({ events: outcome.events, stop });
    const answered = { verdict, guard, code, findings: findings.map(({ entity_type }) => entity_type).toSorted() };
    const edited = stop === null ? body.edited() : {};
    const differs = differences(expect, answered, edited);
    const not_asked = [...route.not_asked.keys()];
    return { name, passed: differs.length === 0, problem: null, differs, expected, answered, not_asked };
  } catch (error) {
    if (isSvcError(error)) return failed(error.message);
    throw error;
  }
}

function ask(
  { protocol, request, answer }: ReturnType<typeof readCheck>,
  { runtime }: OfflineRoute,
  candidate: Candidate,
): Promise<AskedGuards> {
  return askGuards(
    {
      row: rowOf(runtime.name, candidate),
      route: runtime,
      protocol,
      request,
      completion: answer,
      stages: [answer === null ? 'ingress' : 'egress'],
      embedding: null,
      goes_on: () => false,
      states: new Map(),
    },
    candidate,
  );
}

/** A run that no store has. */
function rowOf(route: string, { digest }: Candidate): RunRow {
  return {
    run_id: '00000000-0000-7000-8000-000000000000',
    route,
    principal_id: '',
    status: 'running',
    approvers: [],
    events: [],
    config_digest: digest,
    created_at: new Date(0).toISOString(),
    expires_at: null,
    approver: null,
    owner: '',
    version: 0,
    evidence: null,
  };
}

function differences(expected: PolicyCase['expect'], answered: Answered, edited: object): string[] {
  const found: Readonly<Record<string, unknown>> = { ...edited, ...answered };
  const { findings, ...fields } = { ...expected, findings: expected.findings?.toSorted() };
  const asked = { ...fields, ...(findings !== undefined && { findings }) };
  return Object.entries(asked).flatMap(([field, value]) => (isDeepStrictEqual(found[field], value) ? [] : [field]));
}
