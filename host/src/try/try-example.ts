import { errorName, type Finding, type GuardContext, type Segment, type Verdict } from '@svc/contracts';
import { isGuardResult } from '@svc/kernel/guards';
import type { GuardPool } from '@svc/kernel/workers';
import type { Example } from './example.ts';
import { workIn } from './guard-work.ts';
import type { TriedPack } from './tried-packs.ts';

/** Where something is. Offsets are UTF-16 code units in the text at `path`. */
export interface Place {
  readonly entity_type: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** The text at `path`. Never printed unless the user asks for it. */
  readonly text: string;
}

/** What a pack says about an example. */
export interface Result {
  readonly pack: TriedPack;
  /** Null: the guard failed. */
  readonly verdict: Verdict | null;
  /** If the guard failed: the name of its error, or `invalid` for a result that a run would refuse. */
  readonly code: string;
  readonly ms: number;
  readonly findings: readonly Finding[];
  /** Of these findings, if the guard knows where they are. */
  readonly places: readonly Place[];
}

/** Generous, because nobody waits: the time is measured, not limited. */
const TIMEOUT_MS = 600_000;
/** Only threads have a time limit: a timer for each of a million examples would fill the memory. */
const NEVER = new AbortController().signal;
/** A text that is nothing but findings must not fill the memory. */
const MAX_PLACES = 1_000;

/** Asks a guard about an example as a run does, and then where its findings are. Null if the guard does not work at that stage. */
export async function tryExample({ stage, segments }: Example, pack: TriedPack, pool: GuardPool): Promise<Result | null> {
  const { name, scope, guard } = pack.node;
  if (!guard.stages.includes(stage)) return null;
  const work = workIn(pool, () => AbortSignal.timeout(TIMEOUT_MS));
  const seen = segments(scope, guard.reads_numbers === true);
  const context: GuardContext = {
    ...work,
    run_id: '00000000-0000-7000-8000-000000000000',
    route: '',
    principal_id: '',
    team: null,
    session: null,
    node: name,
    stage,
    mode: 'observe',
    state: {},
    tools: null,
    endpoints: [],
    choices: 1,
    max_output_tokens: null,
    signal: NEVER,
  };
  const started = performance.now();
  const failed = (code: string): Result => {
    return { pack, verdict: null, code, ms: performance.now() - started, findings: [], places: [] };
  };
  try {
    const answer: unknown = await guard.check(seen, context);
    const ms = performance.now() - started;
    // Codes and types of another form could contain text.
    if (!isGuardResult(answer, guard, stage === 'ingress')) return failed('invalid');
    const { verdict, code, findings } = answer;
    return { pack, verdict, code, ms, findings, places: findings.length === 0 ? [] : await placesIn(seen, findings, pack, work) };
  } catch (error) {
    return failed(errorName(error));
  }
}

async function placesIn(
  segments: readonly Segment[],
  findings: readonly Finding[],
  { node }: TriedPack,
  work: Pick<GuardContext, 'runInWorker'>,
): Promise<Place[]> {
  const types = new Set(findings.map(({ entity_type }) => entity_type));
  const places: Place[] = [];
  for (const { text, path } of segments) {
    for (const { entity_type, score, start, end } of (await node.guard.scan(text, work)).findings) {
      if (types.has(entity_type) && places.length < MAX_PLACES) places.push({ entity_type, score, path, start, end, text });
    }
  }
  return places;
}
