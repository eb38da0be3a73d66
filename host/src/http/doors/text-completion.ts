import { type AnswerBody, type AnswerFrame, type ChatRequest, isObject, type JsonObject } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { badField } from '@svc/protocols';
import { type ChatForm, ChatWriter, readChat } from './chat.ts';
import type { DoorRequest } from './door.ts';

/** Parameters that the chat format lacks. */
const LOST = ['echo', 'best_of', 'logprobs', 'top_logprobs', 'tools', 'tool_choice', 'functions', 'function_call'] as const;

/**
 * A request of OpenAI's older completions API, as a chat with one message: guards see the prompt as a message of the user.
 * @throws {SvcError} SVC-REQ-001
 */
export function readTextCompletion(asked: JsonObject, route: Pick<RuntimeRoute, 'vendor_tools'>): DoorRequest {
  const { prompt, suffix, messages: _, ...rest } = asked;
  if (suffix != null && suffix !== '')
    throw badField(
      'body/suffix',
      'is not supported: a chat model cannot insert text; put the text before and after it into the prompt',
    );
  const lost = LOST.filter((name) => isUsed(name, rest));
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !(LOST as readonly string[]).includes(name)));
  const chat = { ...kept, messages: [{ role: 'user', content: promptOf(prompt) }] } as unknown as ChatRequest;
  const read = readChat(chat, route);
  const include_usage = chat.stream_options?.include_usage === true;
  return {
    ...read,
    unsupported: [...read.unsupported, ...lost],
    writer: new ChatWriter(chat.model, include_usage, TEXT_FORM),
  };
}

/** Whether a parameter has an effect. With its default value, it has none. */
function isUsed(name: string, body: JsonObject): boolean {
  const value = body[name];
  if (name === 'best_of') return value != null && value !== (body.n ?? 1);
  return value != null && value !== false;
}

function promptOf(prompt: unknown): string {
  const [only, ...others] = Array.isArray(prompt) ? prompt : [prompt];
  if (typeof only === 'string' && others.length === 0) return only;
  throw badField('body/prompt', 'must be one string: send one request for each prompt, and text instead of tokens');
}

const TEXT_FORM: ChatForm = {
  names: ['cmpl', 'text_completion'],
  whole: (completion) => shaped(completion, choicesOf(completion).map(textChoice)),
  frame(chunk, isLast) {
    const choices = choicesOf(chunk).map(textChoice);
    const saying = choices.filter(({ text, finish_reason }) => isLast || text !== '' || finish_reason !== null);
    return saying.length === 0 && chunk.usage == null && !isLast ? null : shaped(chunk, saying);
  },
};

function shaped({ id, ...rest }: AnswerBody | AnswerFrame, choices: object[]): object {
  const { service_tier: _, ...others } = rest as JsonObject;
  return { ...others, id: String(id).replace(/^chatcmpl-/, 'cmpl-'), object: 'text_completion', choices };
}

function choicesOf({ choices }: AnswerBody | AnswerFrame): readonly JsonObject[] {
  return Array.isArray(choices) ? choices.filter(isObject) : [];
}

interface TextChoice {
  readonly index: number;
  readonly text: string;
  readonly logprobs: null;
  readonly finish_reason: string | null;
}

function textChoice({ index, message, delta, finish_reason }: JsonObject): TextChoice {
  const said = isObject(message) ? message : isObject(delta) ? delta : {};
  const text = [said.content, said.refusal].find((each) => typeof each === 'string' && each !== '');
  const reason = typeof finish_reason === 'string' ? finish_reason : null;
  return { index: Number(index), text: String(text ?? ''), logprobs: null, finish_reason: reason };
}
