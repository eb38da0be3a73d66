import type { AnswerBody, ChatCompletion, ChatCompletionChunk } from '@svc/contracts';
import { MessageGatherer } from '../gatherer.ts';
import { FramesFromChat } from './frames-from-chat.ts';

/** The first choice of a completion as a message. The result is the same as that of its frames. */
export function answerFromChat({ choices, usage, ...head }: ChatCompletion): AnswerBody {
  const [choice] = choices;
  const { tool_calls, ...message } = choice?.message ?? { role: 'assistant' };
  const calls = tool_calls?.map((call, index) => ({ ...call, index }));
  const delta = {
    ...message,
    ...(calls !== undefined && { tool_calls: calls }),
  } as ChatCompletionChunk['choices'][number]['delta'];
  const chunk: ChatCompletionChunk = {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: choice?.finish_reason ?? 'stop' }],
    usage: usage ?? null,
  };
  const frames = new FramesFromChat(null);
  const gatherer = new MessageGatherer();
  for (const frame of [...frames.take(chunk), ...frames.end()]) gatherer.take(frame);
  return gatherer.answer();
}
