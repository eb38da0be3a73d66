import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { AnswerWriter } from './door.ts';
import type { StopForm } from './stop-form.ts';

/** Writes calls of custom tools as calls of functions, with their text as `arguments`, because Cursor reads the name of a function in each call. */
export class FunctionCallsWriter implements AnswerWriter {
  readonly #chat: AnswerWriter;
  /** How each streamed call began, by its position. */
  readonly #kinds = new Map<string, CallKind>();

  constructor(chat: AnswerWriter) {
    this.#chat = chat;
  }

  get head(): Readonly<Record<string, string>> {
    return this.#chat.head;
  }

  get held(): number {
    return this.#chat.held;
  }

  whole(outcome: RunOutcome, form: StopForm): object {
    return this.#chat.whole(this.#inFunctions(outcome), form);
  }

  piece(frame: AnswerFrame): string {
    return this.#chat.piece(withFunctions(frame, this.#kinds));
  }

  keepAlive(run_id: string): string {
    return this.#chat.keepAlive(run_id);
  }

  end(outcome: RunOutcome, form: StopForm): Iterable<string> {
    return this.#chat.end(this.#inFunctions(outcome), form);
  }

  failed(run_id: string, error: unknown): string {
    return this.#chat.failed(run_id, error);
  }

  #inFunctions(outcome: RunOutcome): RunOutcome {
    const { completion, tail } = outcome;
    return {
      ...outcome,
      completion: completion === null ? null : withFunctions(completion, new Map()),
      tail: tail === null ? null : tail.map((frame) => withFunctions(frame, this.#kinds)),
    };
  }
}

type CallKind = 'custom' | 'function';
type Kinds = Map<string, CallKind>;

/** In an answer, the messages have the calls; in a frame, the deltas have them. */
function withFunctions<Answer extends AnswerBody | AnswerFrame>(answer: Answer, kinds: Kinds): Answer {
  const { choices } = answer;
  if (!Array.isArray(choices)) return answer;
  return { ...answer, choices: choices.map((choice: unknown) => (isObject(choice) ? choiceWith(choice, kinds) : choice)) };
}

function choiceWith(choice: Readonly<Record<string, unknown>>, kinds: Kinds): object {
  const parts = ['message', 'delta'].flatMap((name) => {
    const part = choice[name];
    if (!isObject(part) || !Array.isArray(part.tool_calls)) return [];
    const calls = part.tool_calls.map((call, at) => {
      if (!isObject(call)) return call;
      const place = `${choice.index} ${typeof call.index === 'number' ? call.index : at}`;
      const kind = kinds.get(place) ?? (isObject(call.custom) ? 'custom' : isObject(call.function) ? 'function' : null);
      if (kind !== null) kinds.set(place, kind);
      return kind === 'custom' ? asFunction(call) : call;
    });
    return [[name, { ...part, tool_calls: calls }] as const];
  });
  return parts.length === 0 ? choice : { ...choice, ...Object.fromEntries(parts) };
}

/**
 * A piece of a call has its type only at the beginning of the call. Removes a function or arguments next to the custom tool's text: guards saw them
 * as separate texts, which must not be joined.
 */
function asFunction(call: JsonObject): JsonObject {
  const { type, custom, function: _, ...rest } = call;
  const { input, arguments: __, ...named } = isObject(custom) ? custom : {};
  const called = { ...named, ...(input === undefined ? {} : { arguments: input }) };
  return {
    ...rest,
    ...(type === undefined ? {} : { type: 'function' }),
    ...(isObject(custom) ? { function: called } : {}),
  };
}
