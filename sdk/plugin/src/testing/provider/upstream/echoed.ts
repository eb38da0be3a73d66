import { type ChatChoice, type ChatChunkChoice, type ChatCompletion, type ChatCompletionChunk, isObject } from '@svc/contracts';

const ID = 'chatcmpl-upstream';
const CREATED = 1_700_000_000;

/** The words of a text, each with the white space after it. Joined, they are the text. */
function words(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\s)(?=\S)/u);
}

function lastUserText(body: unknown): string {
  const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  const content: unknown = messages.filter(isObject).findLast(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function choiceCount(body: unknown): number {
  return isObject(body) && typeof body.n === 'number' ? body.n : 1;
}

/** The default answer to a request: `content` or, without it, `upstream: ` and the last user message. A token is a word. */
export function completionOf(body: unknown, content = `upstream: ${lastUserText(body)}`): ChatCompletion {
  const count = choiceCount(body);
  const prompt_tokens = words(lastUserText(body)).length;
  const completion_tokens = words(content).length * count;
  return {
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: isObject(body) && typeof body.model === 'string' ? body.model : 'upstream-model',
    choices: Array.from({ length: count }, (_, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    })),
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  };
}

function deltasOf({ message }: ChatChoice): ChatChunkChoice['delta'][] {
  const content = typeof message.content === 'string' ? words(message.content) : [];
  const calls = (message.tool_calls ?? []).flatMap((call, index) => {
    const head = { index, id: call.id, type: call.type, function: { name: call.function?.name ?? '', arguments: '' } };
    const pieces = call.function?.arguments.match(/.{1,8}/gsu) ?? [];
    return [head, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))];
  });
  return [
    { role: 'assistant', content: '' },
    ...content.map((piece) => ({ content: piece })),
    ...calls.map((call) => ({ tool_calls: [call] })),
  ];
}

/** A completion as OpenAI streams it: a first chunk with the role, then word by word, the end of each choice, and usage if requested. */
export function chunksOf(completion: ChatCompletion, includeUsage: boolean): ChatCompletionChunk[] {
  const { id, created, model, usage } = completion;
  const chunk = (choices: ChatChunkChoice[]): ChatCompletionChunk => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices,
    ...(includeUsage ? { usage: null } : {}),
  });
  const chunks = completion.choices.flatMap((choice) => [
    ...deltasOf(choice).map((delta) => chunk([{ index: choice.index, delta, finish_reason: null }])),
    chunk([{ index: choice.index, delta: {}, finish_reason: choice.finish_reason ?? 'stop' }]),
  ]);
  return includeUsage && usage ? [...chunks, { ...chunk([]), usage }] : chunks;
}
