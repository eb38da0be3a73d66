import { type AnswerFrame, cloneJson, type FramePlace, isObject, isProviderError, type JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Walk } from '../../common/test-walk.ts';
import { RESPONSES_ANSWER } from '../tables.ts';
import { RESPONSES_FRAMES } from './protocol-frames.ts';
import { stringsIn } from './strings.ts';
import { at, framesOf } from './test-frames.ts';

const MARKER = 'Jane Doe lives here';
const ITEMS: JsonObject[] = [
  { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Look there.', annotations: [{ type: 'url_citation', url: 'u' }] }],
  },
  { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"x":1}', status: 'completed' },
  { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
];
/** Fields that the gateway itself writes. */
const HEAD = /^(response\.)?(id|object|model|sequence_number)$/;

/** Everything that guards see of a stream. */
function shownOf(frames: readonly AnswerFrame[]): string {
  const reader = RESPONSES_FRAMES.reader();
  const channels = new Map<string, string>();
  const parts = new Map<string, AnswerFrame[]>();
  const seen: string[] = [];
  for (const came of frames) {
    const frame = cloneJson(came);
    const { pieces, repeats, part, ends } = reader.read(frame);
    for (const name of ends) seen.push(...judgedOf(reader.partOf, parts.get(name)));
    if (part !== null) {
      parts.set(part.name, [...(parts.get(part.name) ?? []), frame]);
      if (part.isComplete) seen.push(...judgedOf(reader.partOf, parts.get(part.name)));
      continue;
    }
    for (const { channel, place } of pieces) channels.set(channel, (channels.get(channel) ?? '') + String(at(frame, place)));
    for (const { place } of repeats) seen.push(JSON.stringify(at(frame, place)));
    seen.push(...new Walk(RESPONSES_FRAMES.table).visit(frame).shown.values());
  }
  return [...seen, ...channels.values()].join('\n');
}

function judgedOf(
  partOf: ReturnType<typeof RESPONSES_FRAMES.reader>['partOf'],
  frames: readonly AnswerFrame[] | undefined,
): string[] {
  if (frames === undefined) return [];
  return [...new Walk(RESPONSES_ANSWER).visit({ output: [partOf(frames).value] }).shown.values()];
}

function put(frame: object, place: FramePlace, value: unknown): void {
  const holder = at(frame, place.slice(0, -1));
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, String(place.at(-1)), value);
}

function objectsOf(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsOf);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsOf)] : [];
}

function expectShown(frames: readonly AnswerFrame[], where: string): void {
  try {
    expect(shownOf(frames), where).toContain(MARKER);
  } catch (error) {
    // A refused answer is not sent.
    if (!isProviderError(error)) throw error;
  }
}

test('a text at any place that contains one is shown to guards', () => {
  const whole = framesOf(ITEMS);
  for (const [index, frame] of whole.entries()) {
    for (const { place } of stringsIn(frame)) {
      const where = place.join('.');
      if (HEAD.test(where)) continue;
      const frames = cloneJson(whole);
      put(frames[index] ?? {}, place, MARKER);
      expectShown(frames, `${String(frame.type)} ${where}`);
    }
  }
});

test('a text under an unknown key is shown to guards, and so is the key', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.boolean(), fc.boolean(), (frame, holder, isKey, isDeep) => {
      const frames = cloneJson(framesOf(ITEMS));
      const chosen = frames[frame % frames.length];
      const holders = objectsOf(chosen);
      const target = holders[holder % holders.length] ?? {};
      const value = isKey ? 1 : MARKER;
      Reflect.set(target, isKey ? MARKER : 'not_invented_yet', isDeep ? [{ new: value }] : value);
      expectShown(frames, JSON.stringify(chosen));
    }),
    { numRuns: 300 },
  );
});

test('a text in an unknown event is shown to guards, whole or in pieces', () => {
  const [begun = {}, ...rest] = framesOf(ITEMS);
  for (const fields of [
    { type: 'response.new', text: MARKER },
    { type: MARKER },
    { type: 'response.new', output_index: 2, text: MARKER },
    { type: 'response.new.delta', item_id: 'msg_1', delta: MARKER },
    { delta: { said: MARKER } },
  ])
    for (const at of [0, 5, 20, rest.length]) expectShown([begun, ...rest.toSpliced(at, 0, fields)], JSON.stringify(fields));
  const cut = ['Jane Doe', ' lives', ' here'].map((delta) => ({ type: 'response.new.delta', output_index: 1, delta }));
  expectShown([begun, ...rest.slice(0, 12), ...cut, ...rest.slice(12)], 'cut');
});
