import { type AnswerBody, type AnswerFrame, isObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { AnswerWriter } from './door.ts';
import type { StopForm } from './stop-form.ts';

/** Writes calls of custom tools as calls of functions, with their text as `arguments`: Cursor reads the name of a function in each call. */
export class FunctionCallsWriter implements AnswerWriter {
  readonly #chat: AnswerWriter;

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
    return this.#chat.whole(inFunctions(outcome), form);
  }

  piece(frame: AnswerFrame): string {
    return this.#chat.piece(withFunctions(frame));
  }

  keepAlive(run_id: string): string {
    return this.#chat.keepAlive(run_id);
  }

  end(outcome: RunOutcome, form: StopForm): Iterable<string> {
    return this.#chat.end(inFunctions(outcome), form);
  }

  failed(run_id: string, error: unknown): string {
    return this.#chat.failed(run_id, error);
  }
}

function inFunctions(outcome: RunOutcome): RunOutcome {
  const { completion, tail } = outcome;
  return {
    ...outcome,
    completion: completion === null ? null : withFunctions(completion),
    tail: tail === null ? null : tail.map(withFunctions),
  };
}

/** Of an answer its messages have the calls, of a frame its deltas. */
function withFunctions<Answer extends AnswerBody | AnswerFrame>(answer: Answer): Answer {
  const { choices } = answer;
  if (!Array.isArray(choices)) return answer;
  return { ...answer, choices: choices.map((choice: unknown) => (isObject(choice) ? choiceWith(choice) : choice)) };
}

function choiceWith(choice: Readonly<Record<string, unknown>>): object {
  const parts = ['message', 'delta'].flatMap((name) => {
    const part = choice[name];
    if (!isObject(part) || !Array.isArray(part.tool_calls)) return [];
    return [[name, { ...part, tool_calls: part.tool_calls.map(asFunction) }] as const];
  });
  return parts.length === 0 ? choice : { ...choice, ...Object.fromEntries(parts) };
}

/** A piece of a call has its type only where the call begins. */
function asFunction(call: unknown): unknown {
  if (!isObject(call) || !isObject(call.custom)) return call;
  const { type, custom, ...rest } = call;
  const { input, ...named } = custom;
  return {
    ...rest,
    ...(type === undefined ? {} : { type: 'function' }),
    function: { ...named, ...(input === undefined ? {} : { arguments: input }) },
  };
}
