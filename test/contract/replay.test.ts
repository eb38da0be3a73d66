import type { Guard } from '@svc/contracts';
import guardPii from '@svc/guard-pii';
import { type Outcome, outcomeOf, type Replayed } from '@svc/runtime';
import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterEach, describe, expect, it } from 'vitest';
import { ALLOW, completionOf, type Node, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';

let open: OpenGateway;
afterEach(() => open.dispose());

/** The answer repeats the question. */
const complete: NonNullable<RouteParts['complete']> = async ({ messages }) => ({
  completion: completionOf(String(messages.at(-1)?.content)),
  unsupported: [],
});

/** Acts on texts with a word. Masking removes the word. */
function on(word: string, verdict: 'sanitize' | 'require_approval' | 'block', name = word, more: Partial<Guard> = {}): Node {
  const check: Guard['check'] = (segments) => {
    const found = segments.filter(({ text }) => text.includes(word));
    if (found.length === 0) return ALLOW;
    if (verdict !== 'sanitize') return { ...PAUSE, verdict, code: `found-${word}` };
    const edits = found.map(({ index, text }) => ({
      segment: index,
      start: text.indexOf(word),
      end: text.indexOf(word) + word.length,
      replacement: '***',
    }));
    return { ...ALLOW, verdict, code: `found-${word}`, edits };
  };
  return nodeOf(name, { check, ...more });
}

const INGRESS = [on('imask', 'sanitize'), on('ipause', 'require_approval'), on('iblock', 'block')];
const EGRESS = [on('emask', 'sanitize'), on('epause', 'require_approval'), on('eblock', 'block')];
const RECORDED: RouteParts = { ingress: INGRESS, egress: EGRESS, complete };
const WORDS = ['imask', 'ipause', 'iblock', 'emask', 'epause', 'eblock'];

async function openWith(parts: RouteParts, kept = { record_content: true }): Promise<void> {
  open = await OpenGateway.start(parts, kept);
}

type Decision = 'approved' | 'denied' | null;

/** A run, in which each pause gets this decision. Null: it stays paused. */
async function run(text: string, decision: Decision = null, session?: string): Promise<string> {
  let { row } = await open.start(text, session === undefined ? {} : { session });
  while (row.status === 'paused' && decision !== null)
    ({ row } = await open.runs.resume(row.run_id, 'bob', { decision, digest: null }));
  return row.run_id;
}

const changesIn = (runs: readonly Replayed[]): Record<string, string> =>
  Object.fromEntries(
    runs.flatMap(({ row, result }) =>
      typeof result === 'string' || result.change === null ? [] : [[row.run_id, result.change.change]],
    ),
  );
const outcomesIn = (runs: readonly Replayed[]): [Outcome, Outcome][] =>
  runs.map(({ result }) => {
    if (typeof result === 'string') throw new Error(`left out: ${result}`);
    return [outcomeOf(result.before), outcomeOf(result.after)];
  });

/** Every combination of what guards may do, with every decision. */
async function everyRun(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let set = 0; set < 2 ** WORDS.length; set += 1) {
    const text = WORDS.filter((_, n) => (set & (1 << n)) !== 0).join(' ');
    const decisions: readonly Decision[] = text.includes('pause') ? ['approved', 'denied', null] : [null];
    for (const decision of decisions) texts.set(await run(text, decision), text);
  }
  return texts;
}

describe('a replay', () => {
  it('of the same route changes nothing, whatever guards and approvers did', async () => {
    await openWith(RECORDED);
    const texts = await everyRun();
    const runs = await open.replay(RECORDED);
    expect(runs).toHaveLength(texts.size);
    expect(changesIn(runs)).toEqual({});
    // Kept content is already masked.
    expect(outcomesIn(runs).filter(([was, is]) => was !== is && !(was === 'masked' && is === 'passed'))).toEqual([]);
    expect(new Set(outcomesIn(runs).map(([was]) => was))).toEqual(new Set(['passed', 'masked', 'paused', 'blocked']));
  });

  it('of a route without guards frees what was stopped, and nothing else', async () => {
    await openWith(RECORDED);
    const texts = await everyRun();
    const runs = await open.replay({ complete });
    const stopped = [...texts].filter(([, text]) => /pause|block/.test(text)).map(([run_id]) => [run_id, 'freed']);
    expect(changesIn(runs)).toEqual(Object.fromEntries(stopped));
  });

  it('finds what a new guard would do, by stage', async () => {
    await openWith({ complete });
    const [masked, paused, blocked, fine] = [await run('x'), await run('y'), await run('z'), await run('fine')];
    const ingress = [on('x', 'sanitize'), on('y', 'require_approval'), on('z', 'block')];
    for (const parts of [{ ingress }, { egress: ingress }]) {
      const runs = await open.replay(parts);
      const changes = changesIn(runs);
      expect(changes).toEqual({ [masked]: 'newly_masked', [paused]: 'newly_paused', [blocked]: 'newly_blocked' });
      expect(Object.hasOwn(changes, fine)).toBe(false);
      const found = runs.find(({ row }) => row.run_id === blocked)?.result;
      expect(found).toMatchObject({
        change: { by: [{ stage: 'ingress' in parts ? 'ingress' : 'egress', node: 'z', code: 'found-z' }] },
      });
    }
  });

  it('does not take a value that was restored for the caller for one that is newly masked', async () => {
    const options = Value.Parse(
      guardPii.options,
      Value.Default(guardPii.options, { entities: ['EMAIL_ADDRESS'], restore: 'all' }),
    );
    const pii = nodeOf('pii', guardPii.create(options, fakePluginDeps()));
    await openWith({ ingress: [pii], egress: [pii], complete });
    const run_id = await run('write to alice@example.org');
    expect(JSON.stringify(await open.runs.stored.response(run_id, 'alice'))).toContain('alice@example.org');
    expect(changesIn(await open.replay({ ingress: [pii], egress: [pii] }))).toEqual({});
    expect(changesIn(await open.replay({ egress: [{ ...pii, name: 'other' }] }))).toEqual({ [run_id]: 'newly_masked' });
  });

  it('asks about endpoints as a run does, and calls no model', async () => {
    let calls = 0;
    const counting: RouteParts['complete'] = (...asked) => {
      calls += 1;
      return complete(...asked);
    };
    await openWith({ complete: counting });
    const run_id = await run('hello');
    const refuses = nodeOf('places', { endpoint: () => ({ verdict: 'block', code: 'wrong-place' }) });
    const runs = await open.replay({ ingress: [refuses], complete: counting });
    expect(changesIn(runs)).toEqual({ [run_id]: 'newly_blocked' });
    expect(calls).toBe(1);
  });

  it('assumes the recorded verdict of a guard that needs a service or a model call', async () => {
    for (const more of [
      { calls_service: true as const },
      { reservations: { revalidate: () => ALLOW, settle: () => null } },
    ] satisfies Partial<Guard>[]) {
      const parts = (asked: { count: number }): RouteParts => ({
        ingress: [
          on('stop', 'block', 'judge', {
            ...more,
            check: (segments) => {
              asked.count += 1;
              return segments.some(({ text }) => text.includes('stop')) ? { ...PAUSE, verdict: 'block' } : ALLOW;
            },
          }),
          on('stop', 'require_approval', 'later'),
        ],
        complete,
      });
      const [recorded, replayed] = [{ count: 0 }, { count: 0 }];
      await openWith(parts(recorded));
      await run('please stop');
      await run('fine');
      expect(changesIn(await open.replay(parts(replayed)))).toEqual({});
      expect([recorded.count, replayed.count]).toEqual([2, 0]);
      await open.close();
    }
  });

  it('does not ask a guard that only observes, and enforces one that only observed', async () => {
    const watch: Node = { ...on('x', 'block'), mode: 'observe' };
    await openWith({ ingress: [watch], complete });
    const run_id = await run('x');
    expect(changesIn(await open.replay({ ingress: [watch] }))).toEqual({});
    expect(changesIn(await open.replay({ ingress: [on('x', 'block')] }))).toEqual({ [run_id]: 'newly_blocked' });
  });

  it('counts a guard that fails, and does as its on_error says', async () => {
    await openWith({ complete });
    const run_id = await run('x');
    const failing = nodeOf('failing', { check: () => Promise.reject(new Error('broken')) });
    const runs = await open.replay({ ingress: [failing] });
    expect(changesIn(runs)).toEqual({ [run_id]: 'newly_blocked' });
    expect(runs[0]?.result).toMatchObject({ failed: ['failing'] });
    expect(changesIn(await open.replay({ ingress: [{ ...failing, on_error: 'allow' }] }))).toEqual({});
  });

  it('gives a guard the team and the session of the run', async () => {
    await openWith({ complete });
    await run('x', null, 'session-1');
    const sessions: (string | null)[] = [];
    const reading = nodeOf('reading', {
      check: (_, { session, principal_id }) => {
        sessions.push(session, principal_id);
        return ALLOW;
      },
    });
    await open.replay({ ingress: [reading] });
    expect(sessions).toEqual(['session-1', 'alice']);
  });
});

describe('a run that cannot be replayed is left out with the reason', () => {
  const reasonOf = async (run_id: string, parts: RouteParts = RECORDED) =>
    (await open.replay(parts)).find(({ row }) => row.run_id === run_id)?.result;

  it('its content is not kept', async () => {
    await openWith(RECORDED, { record_content: false });
    expect(await reasonOf(await run('fine'))).toBe('not_kept');
    expect(await reasonOf(await run('ipause'))).toMatchObject({ change: null });
  });

  it('its content was erased', async () => {
    await openWith(RECORDED);
    const run_id = await run('fine');
    const actor = { principal_id: 'alice', issuer: null, subject: null };
    await open.runs.erase(run_id, { principal_id: 'alice', actor, scope: 'own', reason: null });
    expect(await reasonOf(run_id)).toBe('erased');
  });

  it('its route is not configured', async () => {
    await openWith(RECORDED);
    expect(await reasonOf(await run('fine'), { ...RECORDED, name: 'other' })).toBe('route_missing');
  });

  it('an approver changed its content', async () => {
    await openWith(RECORDED);
    const { row } = await open.start('ipause now');
    const { texts, digest } = await open.runs.stored.pending(row.run_id, 'bob');
    const [text] = texts;
    if (text === undefined) throw new Error('nothing to edit');
    await open.runs.resume(row.run_id, 'bob', {
      decision: 'approved',
      digest,
      edits: [{ index: text.index, text: 'changed' }],
    });
    expect(await reasonOf(row.run_id)).toBe('edited');
  });
});
