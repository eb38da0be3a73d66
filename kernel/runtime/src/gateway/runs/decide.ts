import { errorName, isSvcError, type RunRow } from '@svc/contracts';
import { type Decision, findRun, type MadeDecision, type RunOutcome, resume, type Together, type Track } from '@svc/kernel';
import { runsIn } from './each-run.ts';
import type { GatewayEnv } from './gateway-env.ts';
import type { UnderWay } from './under-way.ts';

/** Maximum number of runs opened at once when one decision applies to several. */
const AT_ONCE = 16;

interface Deciding {
  readonly env: GatewayEnv;
  readonly track: Track;
  readonly under_way: UnderWay;
}

/**
 * Decides on a paused run, and on every run that waits for the same decision (`pause_keys`). Each run gets its own event and evidence. Resolves when
 * this run is settled and the decision on the others is on disk; the others continue by themselves. A run that cannot be decided now, because memory
 * is short or another decision came first, is left unchanged.
 * @throws {SvcError} see {@link resume}
 */
export async function decide(run_id: string, principal_id: string, decision: Decision, deciding: Deciding): Promise<RunOutcome> {
  const { env, track } = deciding;
  const row = await findRun(run_id, env);
  const key = row.pause_keys?.at(-1);
  const others = await waitingWith(row, env);
  const together = others.length === 0 ? null : { run_id, runs: others.length + 1 };
  let left: Promise<unknown> = Promise.resolve();
  const decided = async (made: MadeDecision): Promise<void> => {
    if (key !== undefined) await keep(key, made, env);
    if (together !== null) left = decideOthers(others, principal_id, decision, { key, together }, deciding);
  };
  const outcome = await resume(run_id, principal_id, decision, { key, together, decided }, env, track);
  await left;
  return outcome;
}

/** Stores one decision, however many runs it decides. If that fails, the next such request needs approval again. */
async function keep(key: string, made: MadeDecision, { decided, logger }: GatewayEnv): Promise<void> {
  await decided.keep(key, made).catch((error: unknown) => {
    logger.warn({ event: 'decision_not_kept', run_id: made.run_id, reason: errorName(error) });
  });
}

/** Ids of the other paused runs that wait for the same decision as this one. */
async function waitingWith(
  { run_id, status, principal_id, route, pause_keys }: RunRow,
  { store }: Pick<GatewayEnv, 'store'>,
): Promise<string[]> {
  const key = pause_keys?.at(-1);
  if (status !== 'paused' || key === undefined) return [];
  const others: string[] = [];
  for await (const row of runsIn(store, ['paused'], { principal: principal_id, route }))
    if (row.run_id !== run_id && row.pause_keys?.at(-1) === key) others.push(row.run_id);
  return others;
}

async function decideOthers(
  others: readonly string[],
  principal_id: string,
  { decision, identity = null }: Decision,
  { key, together }: { readonly key: string | undefined; readonly together: Together },
  { env, track, under_way }: Deciding,
): Promise<void> {
  const decideOne = (run_id: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    // The approver has read another payload with the same key, so there is no digest of this one to compare.
    const asked = { decision, identity, digest: null };
    const work = resume(run_id, principal_id, asked, { key, together, decided: () => resolve() }, env, track);
    const left = (error: unknown): void => {
      const reason = isSvcError(error) ? error.code : errorName(error);
      env.logger.warn({ event: 'decision_left', run_id, together_with: together.run_id, reason });
    };
    void under_way.during(work).catch(left).finally(resolve);
    return promise;
  };
  for (let at = 0; at < others.length; at += AT_ONCE) await Promise.all(others.slice(at, at + AT_ONCE).map(decideOne));
}
