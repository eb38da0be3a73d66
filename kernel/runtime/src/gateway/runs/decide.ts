import { errorName, isSvcError, SvcError } from '@svc/contracts';
import { type DecidedRun, LostRace, type RunOutcome, resume, type Track } from '@svc/kernel';
import { ApprovedBefore, type Decision, decisionOn, type Together } from '../../pauses/decision.ts';
import { copiesOf } from './copies.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { readOutcome } from './read-outcome.ts';
import { approvable } from './stored-runs.ts';
import type { UnderWay } from './under-way.ts';

/** Maximum number of runs that are opened at the same time when one decision applies to several. */
const AT_ONCE = 16;

/** Each failed try means that another approver was faster. */
const MAX_TRIES = 20;

interface Deciding {
  readonly env: GatewayEnv;
  readonly track: Track;
  readonly under_way: UnderWay;
}

/**
 * Decides on a paused run, and on every other run that waits for the same decision (`pause_keys`). With a signature, only on those in its statement.
 * Each run gets its own event and evidence. Resolves when this run is settled and the decision on the others is on disk; they continue by
 * themselves. If one of the others cannot be decided, because memory is short or another decision came first, it is left unchanged.
 * @throws {SvcError} SVC-AUTH-003; see {@link resume} and {@link decisionOn}
 */
export async function decide(run_id: string, principal_id: string, decision: Decision, deciding: Deciding): Promise<RunOutcome> {
  const { env } = deciding;
  const { row } = await approvable(run_id, { ...decision, principal_id }, env);
  const key = row.pause_keys?.at(-1);
  // Edits apply only to the run that the approver has read.
  const isEdit = decision.edits !== undefined && decision.edits.length > 0;
  const waiting = isEdit ? [] : (await copiesOf(row, env.store)).map((copy) => copy.run_id);
  const signed = decision.signature?.signed.statement.copies.map((copy) => copy.run_id);
  const others = signed === undefined ? waiting : waiting.filter((other) => signed.includes(other));
  const together = others.length === 0 ? null : { run_id, runs: others.length + 1 };
  let left: Promise<unknown> = Promise.resolve();
  const decided = async (made: DecidedRun): Promise<void> => {
    if (key !== undefined && !made.waits && !isEdit) await keep(key, run_id, made, env);
    if (together !== null) left = decideOthers(others, principal_id, decision, { key, together }, deciding);
  };
  const outcome = await decideOne(run_id, principal_id, decision, { key, together, decided }, deciding);
  await left;
  return outcome;
}

/** Stores a decision that applies to repetitions once, however many runs it decides. If that fails, the next such request needs approval again. */
async function keep(
  key: string,
  run_id: string,
  { approver, event, others, pause }: DecidedRun,
  { decided, logger }: GatewayEnv,
): Promise<void> {
  if (others === null) return;
  const reason = pause.reason === undefined ? {} : { reason: pause.reason };
  const made = { ...approver, digest: event.digest, run_id, ...reason, ...(others.length === 0 ? {} : { others }) };
  await decided.keep(key, made).catch((error: unknown) => {
    logger.warn({ event: 'decision_not_kept', run_id, reason: errorName(error) });
  });
}

interface DecidedWith {
  readonly key: string | undefined;
  readonly together: Together | null;
  readonly decided: (made: DecidedRun) => unknown;
}

async function decideOne(
  run_id: string,
  principal_id: string,
  decision: Decision,
  { key, together, decided }: DecidedWith,
  { env, track }: Deciding,
): Promise<RunOutcome> {
  const decide: Parameters<typeof resume>[1]['decide'] = (run, pause) =>
    decisionOn(run, pause, principal_id, decision, together, env);
  for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
    try {
      return await resume(run_id, { key, decide, decided }, env, track);
    } catch (error) {
      if (error instanceof ApprovedBefore) return readOutcome(run_id, env);
      if (!(error instanceof LostRace)) throw error;
      // Another approver was faster, but the run may need this decision as well.
    }
  }
  throw new SvcError('SVC-RUN-002', 'others are deciding at the same time; try again', { run_id });
}

async function decideOthers(
  others: readonly string[],
  principal_id: string,
  decision: Decision,
  { key, together }: { readonly key: string | undefined; readonly together: Together },
  deciding: Deciding,
): Promise<void> {
  const { env, under_way } = deciding;
  const decideOther = (run_id: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    // The approver has read a different payload with the same key, so there is no digest to compare with this one.
    const asked = { ...decision, digest: null };
    const work = decideOne(run_id, principal_id, asked, { key, together, decided: () => resolve() }, deciding);
    const left = (error: unknown): void => {
      const reason = isSvcError(error) ? error.code : errorName(error);
      env.logger.warn({ event: 'decision_left', run_id, together_with: together.run_id, reason });
    };
    void under_way.during(work).catch(left).finally(resolve);
    return promise;
  };
  for (let at = 0; at < others.length; at += AT_ONCE) await Promise.all(others.slice(at, at + AT_ONCE).map(decideOther));
}
