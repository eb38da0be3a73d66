import type { AnswerBody, AnswerFrame, JsonObject } from '@svc/contracts';
import { MESSAGES, RESPONSES } from '@svc/protocols';
import { anthropic, type Behaviour, responses } from '@svc/sdk/testing';

/** Texts of a request or an answer, in places that exist in every protocol. */
export interface Asked {
  readonly user: readonly string[];
  readonly result?: readonly string[];
  readonly system?: string;
  readonly defined?: string;
  readonly called?: JsonObject;
}
export interface Said {
  readonly text?: readonly string[];
  readonly thinking?: string;
  readonly called?: JsonObject;
}

/** A protocol, in the form its callers and upstreams use. */
export interface Native {
  readonly path: string;
  readonly provider: JsonObject;
  request(asked: Asked): JsonObject;
  /** The texts of a request that reached the upstream. */
  askedIn(body: JsonObject): Asked;
  answer(said: Said): Behaviour;
  saidIn(answer: AnswerBody): Said;
  gathered(frames: readonly AnswerFrame[]): AnswerBody;
  /** What follows the last call of a request, in order. */
  order(body: JsonObject): readonly string[];
}

export const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value : []);
const gather = ({ frames }: typeof MESSAGES, all: readonly AnswerFrame[]): AnswerBody => {
  const gatherer = frames.gatherer();
  for (const frame of all) gatherer.take(frame);
  return gatherer.answer();
};
const filled = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
const textsOf = (parts: unknown): string[] => list(parts).map(({ text }) => String(text));

export const messages: Native = {
  path: '/v1/messages',
  provider: { type: 'anthropic', api_key: 'k' },
  request: ({ user, result, system, defined, called = {} }) => ({
    max_tokens: 100,
    messages: [
      ...(result === undefined
        ? []
        : [
            { role: 'user', content: 'Go.' },
            { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: called }] },
          ]),
      {
        role: 'user',
        content: [
          ...(result === undefined ? [] : [{ type: 'tool_result', tool_use_id: 'toolu_1', content: texts('text', result) }]),
          ...texts('text', user),
        ],
      },
    ],
    ...(system !== undefined && { system: texts('text', [system]) }),
    ...(defined !== undefined && { tools: [{ name: 'find', description: defined, input_schema: { type: 'object' } }] }),
  }),
  askedIn: ({ messages: turns, system, tools }) => {
    const [call] = list(turns)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_use');
    const blocks = list(list(turns).at(-1)?.content);
    const [result] = blocks.filter(({ type }) => type === 'tool_result');
    return filled({
      user: textsOf(blocks.filter(({ type }) => type === 'text')),
      result: result && textsOf(result.content),
      system: list(system)[0]?.text as string | undefined,
      defined: list(tools)[0]?.description as string | undefined,
      called: call?.input as JsonObject | undefined,
    } as Asked);
  },
  answer: ({ text = [], thinking, called }) =>
    anthropic.answer({
      content: [
        ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' }]),
        ...text.map((each) => ({ type: 'text', text: each })),
        ...(called === undefined ? [] : [{ type: 'tool_use', id: 'toolu_9', name: 'send', input: called }]),
      ],
      stop_reason: called === undefined ? 'end_turn' : 'tool_use',
    }),
  saidIn: ({ content }) => {
    const of = (wanted: string): JsonObject[] => list(content).filter(({ type }) => type === wanted);
    return filled({
      text: textsOf(of('text')),
      thinking: of('thinking')[0]?.thinking as string | undefined,
      called: of('tool_use')[0]?.input as JsonObject | undefined,
    } as Said);
  },
  gathered: (frames) => gather(MESSAGES, frames),
  order: ({ messages: turns }) => list(list(turns).at(-1)?.content).map(nameOf),
};

export const items: Native = {
  path: '/v1/responses',
  provider: { type: 'openai', api: 'responses' },
  request: ({ user, result, system, defined, called = {} }) => ({
    input: [
      ...(result === undefined
        ? []
        : [
            { type: 'function_call', call_id: 'call_1', name: 'find', arguments: JSON.stringify(called) },
            { type: 'function_call_output', call_id: 'call_1', output: texts('input_text', result) },
          ]),
      { type: 'message', role: 'user', content: texts('input_text', user) },
    ],
    ...(system !== undefined && { instructions: system }),
    ...(defined !== undefined && {
      tools: [{ type: 'function', name: 'find', description: defined, parameters: { type: 'object' }, strict: false }],
    }),
  }),
  askedIn: ({ input, instructions, tools }) => {
    const [call] = list(input).filter(({ type }) => type === 'function_call');
    const [result] = list(input).filter(({ type }) => type === 'function_call_output');
    return filled({
      user: textsOf(list(input).at(-1)?.content),
      result: result && textsOf(result.output),
      system: instructions as string | undefined,
      defined: list(tools)[0]?.description as string | undefined,
      called: call && JSON.parse(String(call.arguments)),
    } as Asked);
  },
  answer: ({ text = [], thinking, called }) =>
    responses.answer({
      output: [
        ...(thinking === undefined
          ? []
          : [
              {
                id: 'rs_1',
                type: 'reasoning',
                summary: texts('summary_text', [thinking]),
                content: texts('reasoning_text', [thinking]),
              },
            ]),
        ...(text.length === 0
          ? []
          : [
              {
                id: 'msg_1',
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: text.map((each) => ({ type: 'output_text', text: each, annotations: [], logprobs: [] })),
              },
            ]),
        ...(called === undefined
          ? []
          : [
              {
                id: 'fc_1',
                type: 'function_call',
                call_id: 'call_9',
                name: 'send',
                arguments: JSON.stringify(called),
                status: 'completed',
              },
            ]),
      ],
    }),
  saidIn: ({ output }) => {
    const [message, reasoning, call] = ['message', 'reasoning', 'function_call'].map((wanted) =>
      list(output).find(({ type }) => type === wanted),
    );
    return filled({
      text: textsOf(message?.content),
      thinking: textsOf(reasoning?.summary)[0],
      called: call && JSON.parse(String(call.arguments)),
    } as Said);
  },
  gathered: (frames) => gather(RESPONSES, frames),
  order: ({ input }) =>
    list(input)
      .slice(1)
      .flatMap((item) => (Array.isArray(item.content) ? list(item.content) : [item]))
      .map(nameOf),
};

function nameOf({ type, text, content }: JsonObject): string {
  if (type === 'tool_result' || type === 'function_call_output') return 'result';
  return String(text ?? content).includes('<retrieved-context') ? 'added' : 'user';
}

function texts(type: string, all: readonly string[]): JsonObject[] {
  return all.map((text) => ({ type, text }));
}
