import { expect, it } from 'vitest';
import { allow, block, pause, sanitize } from './results.ts';

const edits = [{ segment: 0, start: 0, end: 1, replacement: '' }];
const findings = [{ entity_type: 'WORD', count: 1 }];
const nothing = { edits: [], findings: [] };

it.each([
  [allow(), { verdict: 'allow', code: 'allowed', ...nothing }],
  [allow('no-word'), { verdict: 'allow', code: 'no-word', ...nothing }],
  [allow('seen', { findings }), { verdict: 'allow', code: 'seen', edits: [], findings }],
  [sanitize('word', { edits }), { verdict: 'sanitize', code: 'word', edits, findings: [] }],
  [sanitize('word', { edits, findings }), { verdict: 'sanitize', code: 'word', edits, findings }],
  [sanitize('mine', { ...block('inner'), edits }), { verdict: 'sanitize', code: 'mine', edits, findings: [] }],
  // The form of earlier releases.
  [sanitize(edits), { verdict: 'sanitize', code: 'sanitized', edits, findings: [] }],
  [sanitize(edits, findings, 'word'), { verdict: 'sanitize', code: 'word', edits, findings }],
  [block('word'), { verdict: 'block', code: 'word', ...nothing }],
  [block('word', { hint: { text: 'No.' } }), { verdict: 'block', code: 'word', ...nothing, hint: { text: 'No.' } }],
  [pause('word', { edits, findings }), { verdict: 'require_approval', code: 'word', edits, findings }],
  // Passing on another guard's result must not bypass the verdict.
  [block('mine', allow('inner')), { verdict: 'block', code: 'mine', ...nothing }],
  [pause('mine', allow('inner')), { verdict: 'require_approval', code: 'mine', ...nothing }],
  [allow('mine', block('inner', { edits })), { verdict: 'allow', code: 'mine', ...nothing }],
])('%j', (result, expected) => expect(result).toEqual(expected));
