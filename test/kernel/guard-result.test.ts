import { finished, type Segment } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEndpointVerdict, isGuardResult } from '../../kernel/kernel/src/calls/guard-result.ts';
import { ALLOW, guardOf } from '../../kernel/runtime/src/test-parts.ts';
import { editedTexts } from '../../kernel/runtime/src/texts/edits.ts';

const guard = { ...guardOf(() => ALLOW), verdicts: ['sanitize', 'block'] as const };
const segment = (index: number, text: string): Segment => ({
  index,
  text,
  kind: 'text',
  role: 'user',
  path: '',
  choice: null,
  origin: 'user',
  untrusted: false,
});
const segments = [segment(0, 'abcdef'), segment(1, '😀')];
const edit = (segment: number, start: number, end: number, replacement = 'x') => ({ segment, start, end, replacement });
const sanitize = (edits: unknown, findings: unknown = []) => ({ verdict: 'sanitize', code: 'c', edits, findings });
const findings = (count: number, types = count) =>
  Array.from({ length: count }, (_, n) => ({ entity_type: `type-${n % types}`, count: 1 }));
// A hole passes `every`, so it must be looked for.
const hole: unknown[] = [];
hole.length = 1;
const holes: unknown[] = [];
holes.length = 2 ** 32 - 1;

/** Whether an answer is a result, and its edits are valid. */
function isTaken(value: unknown): boolean {
  return isGuardResult(value, guard) && finished(editedTexts(value.edits, segments)) !== null;
}

describe('isGuardResult', () => {
  it.each([
    ['allow', ALLOW],
    ['allow with findings', { ...ALLOW, findings: [{ entity_type: 'PERSON', count: 0 }] }],
    ['a declared verdict', { ...ALLOW, verdict: 'block' }],
    ['edits side by side', sanitize([edit(0, 3, 6), edit(0, 0, 3)])],
    ['an insertion', sanitize([edit(0, 6, 6)])],
    ['a whole surrogate pair', sanitize([edit(1, 0, 2)])],
    ['fields beyond the contract', { ...ALLOW, more: 1 }],
    ['a thousand types', { ...ALLOW, findings: findings(1_000) }],
    ['many of a few types', { ...ALLOW, findings: findings(1_000, 7).concat(findings(1_000, 7)) }],
    ['a hint', { ...ALLOW, hint: { text: 'h'.repeat(300), retry_at: 0 } }],
  ])('accepts %s', (_what, value) => {
    expect(isTaken(value)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 0],
    ['true', true],
    ['a string', 'allow'],
    ['an array', [ALLOW]],
    ['an empty object', {}],
    ['a function', () => ALLOW],
    ['no verdict', { ...ALLOW, verdict: undefined }],
    ['an unknown verdict', { ...ALLOW, verdict: 'ALLOW' }],
    ['a verdict that is no string', { ...ALLOW, verdict: ['allow'] }],
    ['a name from the prototype', { ...ALLOW, verdict: 'constructor' }],
    ['a verdict that it did not declare', { ...ALLOW, verdict: 'require_approval' }],
    ['no code', { ...ALLOW, code: undefined }],
    ['an empty code', { ...ALLOW, code: '' }],
    ['a code that is a sentence', { ...ALLOW, code: 'found a name' }],
    ['a code with a line break', { ...ALLOW, code: 'c\n' }],
    ['a code that is too long', { ...ALLOW, code: 'c'.repeat(65) }],
    ['findings of more than a thousand types', { ...ALLOW, findings: findings(1_001) }],
    ['a hint that is a text', { ...ALLOW, hint: 'h' }],
    ['a hint that is null', { ...ALLOW, hint: null }],
    ['an empty hint', { ...ALLOW, hint: { text: '' } }],
    ['a hint that is too long', { ...ALLOW, hint: { text: 'h'.repeat(301) } }],
    ['a hint of two lines', { ...ALLOW, hint: { text: 'a\nb' } }],
    ['a hint with a paragraph mark', { ...ALLOW, hint: { text: 'a\u2029b' } }],
    ['a hint with half a character', { ...ALLOW, hint: { text: 'a\ud83d' } }],
    ['a hint for a moment that no date can name', { ...ALLOW, hint: { text: 'h', retry_at: 9e15 } }],
    ['a hint for a date as text', { ...ALLOW, hint: { text: 'h', retry_at: '2026-01-01' } }],
    ['no edits', { ...ALLOW, edits: undefined }],
    ['edits that are no array', sanitize({ length: 0 })],
    ['allow with edits', { ...ALLOW, edits: [edit(0, 0, 1)] }],
    ['an edit that is null', sanitize([null])],
    ['an edit of no segment', sanitize([edit(2, 0, 1)])],
    ['an edit of segment -1', sanitize([edit(-1, 0, 1)])],
    ['an edit past the end', sanitize([edit(0, 0, 7)])],
    ['an edit before the start', sanitize([edit(0, -1, 1)])],
    ['an edit that runs backwards', sanitize([edit(0, 2, 1)])],
    ['an edit at half a place', sanitize([edit(0, 0.5, 1)])],
    ['an edit at NaN', sanitize([edit(0, Number.NaN, 1)])],
    ['an edit with text for a number', sanitize([{ ...edit(0, 0, 1), start: '0' }])],
    ['edits that overlap', sanitize([edit(0, 0, 3), edit(0, 2, 4)])],
    ['an edit that splits a surrogate pair', sanitize([edit(1, 0, 1)])],
    ['a replacement that is half a pair', sanitize([edit(0, 0, 1, '\ud83d')])],
    ['an edit without a replacement', sanitize([{ segment: 0, start: 0, end: 1 }])],
    ['edits with a hole', sanitize(hole)],
    ['as many holes as an array may have', sanitize(holes)],
    [
      'an edit that fails when it is read',
      sanitize([
        {
          ...edit(0, 0, 1),
          get end() {
            throw new Error('x');
          },
        },
      ]),
    ],
    ['no findings', { ...ALLOW, findings: undefined }],
    ['findings that are text', { ...ALLOW, findings: 'none' }],
    ['a finding that is text', { ...ALLOW, findings: ['PERSON'] }],
    ['a finding whose type is a sentence', { ...ALLOW, findings: [{ entity_type: 'Ann Lee', count: 1 }] }],
    ['a negative count', { ...ALLOW, findings: [{ entity_type: 'PERSON', count: -1 }] }],
    ['half a count', { ...ALLOW, findings: [{ entity_type: 'PERSON', count: 0.5 }] }],
    ['a count beyond a double', { ...ALLOW, findings: [{ entity_type: 'PERSON', count: 2 ** 53 }] }],
    ['findings with a hole', { ...ALLOW, findings: hole }],
  ])('refuses %s', (_what, value) => {
    expect(isTaken(value)).toBe(false);
  });

  it('never throws for plain data, and accepts nothing that lacks a field', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: false }), (value) => {
        expect(isTaken(value)).toBe(false);
      }),
    );
  });
});

describe('isEndpointVerdict', () => {
  it('accepts allow, and the declared verdicts except sanitize', () => {
    const all = { ...guard, verdicts: ['sanitize', 'block', 'require_approval'] as const };
    const taken = ['allow', 'sanitize', 'require_approval', 'block', 'other', undefined].map((verdict) =>
      isEndpointVerdict({ verdict, code: 'c' }, all),
    );
    expect(taken).toEqual([true, false, true, true, false, false]);
    expect(isEndpointVerdict({ verdict: 'require_approval', code: 'c' }, guard)).toBe(false);
    expect(isEndpointVerdict({ verdict: 'allow', code: 'not a code' }, guard)).toBe(false);
    expect(isEndpointVerdict(undefined, guard)).toBe(false);
  });
});
