import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cefOf } from './cef.ts';
import { ledgerEvent } from './ledger-event.ts';
import { call, inventoryRecord, LEDGER, operationRecord, recordOf, runRecord, verdict } from './test-records.ts';

/** A parser of the format, written from its specification. @throws {Error} if a line has another form */
function parsed(line: string): { header: string[]; extension: Record<string, string> } {
  const found = /^CEF:0\|((?:(?:[^|\\\n\r]|\\[|\\])*\|){6})(.*)$/s.exec(line);
  if (found === null) throw new Error(`not CEF: ${line}`);
  const header = Array.from((found[1] ?? '').matchAll(/((?:[^|\\]|\\.)*)\|/g), ([, field = '']) => field.replace(/\\(.)/g, '$1'));
  const text = found[2] ?? '';
  if (/[\n\r]/.test(text)) throw new Error('a line break');
  const extension: Record<string, string> = {};
  for (const pair of text.split(/ (?=[A-Za-z0-9]+=)/)) {
    const equals = pair.indexOf('=');
    const value = pair.slice(equals + 1);
    if (!/^(?:[^\\=]|\\[\\=nr])*$/.test(value)) throw new Error(`an unescaped character: ${pair}`);
    extension[pair.slice(0, equals)] = value.replace(/\\(.)/g, (_, one) => ({ n: '\n', r: '\r' })[one as string] ?? one);
  }
  return { header, extension };
}

const cef = (...of: Parameters<typeof ledgerEvent>) => parsed(cefOf(ledgerEvent(...of)));

describe('a run as CEF', () => {
  it('has the decision, the guard and the model', () => {
    const events = [
      verdict('mask', 'sanitize', 'masked', [{ entity_type: 'EMAIL_ADDRESS', count: 2 }]),
      verdict('policy', 'block', 'wire', [{ entity_type: 'wire', count: 1 }]),
      call('local', 'm-1', 10, 20),
    ];
    const { header, extension } = cef(LEDGER, runRecord({ status: 'blocked', events, client: 'codex' }));
    expect(header).toEqual([
      'svc',
      'gateway',
      expect.stringMatching(/^\d+\.\d+\.\d+/),
      'run.blocked',
      'Run on route default: blocked, block by guard policy (wire)',
      '6',
    ]);
    expect(extension).toEqual({
      ...{ rt: '1767603600900', start: '1767603600100', end: '1767603600900', cat: 'run', outcome: 'failure' },
      ...{ externalId: '019b8d6a-0000-7000-8000-000000000001', suser: 'alice', requestClientApplication: 'codex' },
      ...{ act: 'block', reason: 'wire', cn1: '42', cn1Label: 'seq', cs1: runRecord().hash, cs1Label: 'hash' },
      ...{ cs2: LEDGER, cs2Label: 'ledger_id', cs3: 'default', cs3Label: 'route', cs4: 'local/m-1', cs4Label: 'model' },
      ...{ cs5: 'policy', cs5Label: 'guard', cs6: 'EMAIL_ADDRESS:2,wire:1', cs6Label: 'findings' },
      ...{ cn2: '10', cn2Label: 'input_tokens', cn3: '20', cn3Label: 'output_tokens' },
    });
  });
});

it.each([
  [inventoryRecord(), ['model.inventory', '1'], { cat: 'inventory', cs3: 'default', cs4: 'Example/m-1' }],
  [
    operationRecord('key.created', { reason: 'new app' }),
    ['key.created', '3'],
    { cat: 'operation', suser: 'root', act: 'key.created', cs3: 'key/key-1', reason: 'new app' },
  ],
  [recordOf({ record_type: 'new_one' }), ['record.new_one', '1'], { cat: 'record.new_one', cs1: recordOf({}).hash }],
])('other records have their own fields: %j', (record, [type, severity], extension) => {
  const read = cef(LEDGER, record);
  expect([read.header[3], read.header[5], read.extension]).toEqual([type, severity, expect.objectContaining(extension)]);
});

it('escapes every text, so that a parser reads the same', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('a', '|', '=', '\\', '\n', '\r', ' ', 'b=c', '\\n', '"', ']', '\u0000', 'é', '😀', '\u2028'),
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(nasty, nasty, nasty, (principal_id, model_id, client) => {
      const { header, extension } = cef(LEDGER, runRecord({ principal_id, model_id, client }));
      const plain = (text: string) => text.replace(/\r\n/g, '\n').replace(/[^\P{Cc}\n\r]|[\u2028\u2029]/gu, ' ');
      expect(header).toHaveLength(6);
      // A space before a word and an equals sign is kept, because the sign is escaped.
      expect([extension.suser, extension.cs3, extension.requestClientApplication]).toEqual(
        [principal_id, model_id, client].map(plain),
      );
    }),
  );
});

it('cuts long texts, and no character in half', () => {
  expect(cefOf(ledgerEvent(LEDGER, runRecord({ principal_id: '😀'.repeat(5000), model_id: 'r' }))).isWellFormed()).toBe(true);
  const { header, extension } = cef(LEDGER, runRecord({ principal_id: 'p'.repeat(5000), model_id: 'm'.repeat(5000) }));
  expect([header[4]?.length, extension.suser?.length, extension.cs3?.length]).toEqual([512, 1023, 4000]);
});
