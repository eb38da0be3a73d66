import type { ChatMessage, GuardResult } from '@svc/contracts';
import { isGuardResult, runStage } from '@svc/kernel/guards';
import { CHAT } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOW, answerOf, ENV, guardOf, nodeOf, replacing, routeOf, runOf } from '../test-parts.ts';
import { addContext } from './added-context.ts';
import { collectRequest } from './test-parts.ts';

const ADDED = { text: 'ADDED', sources: [{ id: 'a', score: 0.5 }] };
const messages = (...roles: string[]): ChatMessage[] => roles.map((role, i) => ({ role, content: `${role} ${i}` }));

function added(...roles: string[]): string {
  const all = messages(...roles);
  addContext(CHAT, { model: 'm', messages: all }, ADDED);
  return all.map(({ role, content }) => (content === 'ADDED' ? 'ADDED' : role)).join(' ');
}

describe('addContext', () => {
  it.each([
    [['user'], 'ADDED user'],
    [['system', 'user'], 'system ADDED user'],
    [['user', 'assistant', 'user'], 'user assistant ADDED user'],
    [['user', 'user'], 'user ADDED user'],
    [['user', 'assistant', 'tool'], 'user assistant tool ADDED'],
    [['user', 'assistant', 'tool', 'tool', 'assistant'], 'user assistant tool tool ADDED assistant'],
    [['user', 'assistant', 'user', 'assistant'], 'user assistant ADDED user assistant'],
    [['system'], 'system ADDED'],
    [['assistant'], 'ADDED assistant'],
  ])('%j', (roles, expected) => {
    expect(added(...roles)).toBe(expected);
  });

  it('is visible to nodes for new messages, whatever the conversation', () => {
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool');
    fc.assert(
      fc.property(fc.array(role, { minLength: 1, maxLength: 12 }), (roles) => {
        const request = { model: 'm', messages: messages(...roles) };
        addContext(CHAT, request, ADDED);
        expect(request.messages).toHaveLength(roles.length + 1);
        expect(
          collectRequest(request)
            .inScope('new')
            .map(({ text }) => text),
        ).toContain('ADDED');
      }),
    );
  });
});

describe('text that a guard may add', () => {
  const guard = guardOf(() => ALLOW);
  const isValid = (context: unknown, mayAdd = true): boolean => isGuardResult({ ...ALLOW, context }, guard, mayAdd);

  it('consists of a text and its sources', () => {
    expect(isValid(ADDED)).toBe(true);
    expect(isValid({ text: 'x', sources: [] })).toBe(true);
    expect(isValid(undefined, false)).toBe(true);
  });

  it.each([
    ['no object', 'text'],
    ['null', null],
    ['no text', { sources: [] }],
    ['an empty text', { text: '', sources: [] }],
    ['half a character', { text: '\ud800', sources: [] }],
    ['no sources', { text: 'x' }],
    ['a source with a text for an id', { text: 'x', sources: [{ id: 'two words', score: 0 }] }],
    ['a source without a score', { text: 'x', sources: [{ id: 'a' }] }],
    ['a score that is none', { text: 'x', sources: [{ id: 'a', score: Number.NaN }] }],
    ['a score out of bounds', { text: 'x', sources: [{ id: 'a', score: 1.1 }] }],
  ])('is not %s', (_what, context) => {
    expect(isValid(context)).toBe(false);
  });

  it('is refused without a request', () => {
    expect(isValid(ADDED, false)).toBe(false);
  });
});

describe('in a stage', () => {
  const adding = guardOf((): GuardResult => ({ ...ALLOW, context: ADDED }));

  it('later nodes see the added text and may edit it; the event has ids and scores in parts per million, not the text', async () => {
    const run = runOf(routeOf({ ingress: [nodeOf('adds', adding), nodeOf('edits', replacing('ADDED', 'EDITED'))] }));
    expect(await runStage(run, 'ingress', null, () => false, ENV)).toBeNull();
    expect(run.request.messages.map(({ content }) => content)).toContain('EDITED');
    expect(run.events[0]?.data).toMatchObject({ retrieved: [{ id: 'a', score_ppm: 500_000 }] });
    expect(JSON.stringify(run.events)).not.toContain('ADDED');
  });

  it('an observing node adds nothing', async () => {
    const run = runOf(
      routeOf({
        ingress: [
          nodeOf('adds', adding, { mode: 'observe' }),
          nodeOf(
            'allows',
            guardOf(() => ALLOW),
          ),
        ],
      }),
    );
    await runStage(run, 'ingress', null, () => false, ENV);
    expect(JSON.stringify(run.request)).not.toContain('ADDED');
    expect(run.events[0]).toMatchObject({ event_type: 'observed', data: { retrieved: [{ id: 'a' }] } });
  });

  it('an egress node that adds text has failed', async () => {
    const run = runOf(routeOf({ egress: [nodeOf('adds', adding)] }));
    run.completion = answerOf('answer');
    expect(await runStage(run, 'egress', null, () => false, ENV)).toMatchObject({ kind: 'blocked', code: 'SVC-NODE-001' });
  });
});
