import { parseBody } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectRequest } from './collect.ts';
import { applyEdits } from './test-parts.ts';

const MARK = 'a secret of mine';
const number = fc
  .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^[1-9][0-9]{16,30}$/), fc.option(fc.stringMatching(/^[0-9]{1,20}[1-9]$/)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`)
  // Excludes numbers that a double holds, because JavaScript may write them in another form.
  .filter((text) => typeof parseBody(text) === 'object');
/** JSON with long numbers, and with the mark in some places. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    number,
    fc.constantFrom(JSON.stringify(MARK), '"x"', 'null', 'true', '1'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `{${items.map((item, at) => `"k${at}":${item}`).join(',')}}`),
  ),
}));

const BODIES = [
  [CHAT, (value: string) => `{"model":"m","messages":[{"role":"user","content":"${MARK}","x_new":${value}}],"x_new":${value}}`],
  [
    MESSAGES,
    (value: string) =>
      `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"v":${value}}}]}],"x_new":${value}}`,
  ],
  [RESPONSES, (value: string) => `{"model":"m","input":[{"role":"user","content":"${MARK}","x_new":${value}}],"x_new":${value}}`],
] as const;

it.each(BODIES)('numbers keep their digits whether or not a guard masks a text', (protocol, bodyOf) => {
  fc.assert(
    fc.property(json, fc.boolean(), (value, numbers) => {
      const text = bodyOf(value);
      const body = parseBody(text) as never;
      const payload = collectRequest(protocol, body, numbers);
      expect(JSON.stringify(body)).toBe(text);
      const { segments, leaves } = payload.seen('all', numbers);
      const edits = segments.flatMap(({ text: shown }, segment) =>
        shown === MARK ? [{ segment, start: 0, end: MARK.length, replacement: '<MARK>' }] : [],
      );
      applyEdits(payload, edits, segments, leaves);
      expect(JSON.stringify(body)).toBe(text.replaceAll(MARK, '<MARK>'));
    }),
  );
});
