import type { AnswerBody, AnswerFrame, ChatRequest, FieldTable, ProtocolFrames, RequestBody } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { IDENTITY, type ProtocolConformanceOptions } from './recorded.ts';
import { stringsOf, withText } from './walk.ts';

const ASKED: RequestBody = { model: IDENTITY.model };

/** Law 5: converting to the chat format and back loses nothing that is not reported. */
export function bridgeCases({ protocol, requests, answers, streams }: ProtocolConformanceOptions): ConformanceCase[] {
  const { bridge, frames } = protocol;
  if (bridge === null) return [];
  return [
    {
      name: 'converts a request to the chat format and back without changes',
      run: async () => {
        for (const body of requests) {
          const once: ChatRequest = plain(bridge.requestToChat(structuredClone(body)).body);
          const back = bridge.requestFromChat(structuredClone(once));
          const again = bridge.requestToChat(plain(back.body));
          if (back.lost.length + again.lost.length === 0) assert.deepEqual(plain(again.body), once);
        }
      },
    },
    {
      name: 'reports every text of a request that it loses',
      run: async () => {
        for (const body of requests)
          for (const { path, mark, marked } of markedIn(protocol.request, body)) {
            const { body: chat, lost } = bridge.requestToChat(marked);
            const isNamed = lost.some((name) => isOn(name, path));
            assert.ok(
              JSON.stringify(chat).includes(mark) || isNamed,
              `${path.join('.')} to be present, or reported as lost`,
              'neither',
            );
          }
      },
    },
    {
      name: 'reports losses as paths of known names without indexes',
      run: async () => {
        for (const body of requests)
          for (const name of bridge.requestToChat(structuredClone(body)).lost)
            assert.matches(name, /^[A-Za-z_$][\w$-]*(\.[A-Za-z_$][\w$-]*)*$/, 'a path of names');
      },
    },
    {
      name: 'converts an answer to the chat format and back without changes',
      run: async () => {
        for (const body of answers) {
          const once = bridge.answerToChat(protocol.readAnswer(structuredClone(body)), IDENTITY);
          if (once.svc_left_out !== undefined) continue;
          const back = bridge.answerFromChat(plain(once), ASKED);
          const again = bridge.answerToChat(protocol.readAnswer(back), IDENTITY);
          assert.deepEqual(plain(again.choices), plain(once.choices));
          assert.deepEqual(protocol.textOf(back), protocol.textOf(body), 'its text');
        }
      },
    },
    {
      name: 'converts an answer equally, whole and streamed',
      run: async () => {
        for (const stream of streams) {
          const toChat = bridge.framesToChat(IDENTITY);
          const fromChat = bridge.framesFromChat(ASKED);
          const chunks = [...stream.flatMap((frame) => toChat.take(structuredClone(frame))), ...toChat.end()];
          const there: AnswerFrame[] = [...chunks.flatMap((chunk) => fromChat.take(chunk)), ...fromChat.end()];
          const whole = gather(frames, stream);
          const once = bridge.answerFromChat(bridge.answerToChat(protocol.readAnswer(whole), IDENTITY), ASKED);
          assert.deepEqual(protocol.textOf(gather(frames, there)), protocol.textOf(once), 'its text');
          assert.deepEqual(protocol.outcomeOf(gather(frames, there)), protocol.outcomeOf(once), 'how it ended, and what it used');
        }
      },
    },
    {
      name: 'does not report a truncated stream as complete',
      run: async () => {
        for (const stream of streams) {
          const reader = frames.reader();
          const end = stream.findIndex((frame) => reader.read(structuredClone(frame)).isLast);
          const toChat = bridge.framesToChat(IDENTITY);
          for (const frame of stream.slice(0, Math.max(end, 0))) toChat.take(structuredClone(frame));
          await assert.rejects((async () => toChat.end())(), {}, 'the end of a truncated stream');
        }
      },
    },
  ];
}

function gather(frames: ProtocolFrames, stream: readonly AnswerFrame[]): AnswerBody {
  const gatherer = frames.gatherer();
  for (const frame of stream) gatherer.take(structuredClone(frame));
  return gatherer.answer();
}

/** The value in the form in which it is sent. */
function plain<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** One copy of the request for each of its texts, with a mark in place of that text. */
function* markedIn(table: FieldTable, body: RequestBody) {
  for (const [index, { path, pattern, within, value }] of [...stringsOf(body, table)].entries()) {
    const { isOwn, vocabulary, idKind, opaqueKind, isName } = table.placeOf(pattern);
    if (isOwn || vocabulary.has(value) || idKind !== null || isName || (opaqueKind?.(value, within) ?? null) !== null) continue;
    const mark = `mark${index}mark`;
    yield { path, mark, marked: withText(body, path, mark) };
  }
}

/** Whether a path without indexes refers to a place, or to a parent of it. */
function isOn(name: string, path: readonly (string | number)[]): boolean {
  const names = new Set(path.filter((step) => typeof step === 'string'));
  return name.split('.').every((step) => names.has(step) || step === 'other' || step === name.split('.').at(-1));
}
