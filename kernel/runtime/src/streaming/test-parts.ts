import type {
  CallContext,
  ChatChunkChoice,
  ChatCompletionChunk,
  ChatUsage,
  Guard,
  GuardContext,
  GuardResult,
  GuardStream,
  Provider,
} from '@svc/contracts';
import type { AnswerSink, StreamTarget } from './answer-sink.ts';

export const USAGE: ChatUsage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

export function chunkOf(choices: ChatChunkChoice[], fields: Partial<ChatCompletionChunk> = {}): ChatCompletionChunk {
  return { id: 'answer', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices, ...fields };
}

export function textChunk(content: string, index = 0): ChatCompletionChunk {
  return chunkOf([{ index, delta: { content }, finish_reason: null }]);
}

export function endChunk(index = 0, finish_reason = 'stop'): ChatCompletionChunk {
  return chunkOf([{ index, delta: {}, finish_reason }]);
}

export const USAGE_CHUNK = chunkOf([], { usage: USAGE });

type Chunks = AsyncIterable<ChatCompletionChunk> | Iterable<ChatCompletionChunk>;

/** A provider whose streams yield the generator's chunks. `left` counts the streams that were closed. */
export function streaming(chunks: (context: CallContext) => Chunks): {
  provider: Provider;
  readonly left: number;
} {
  const state = { left: 0 };
  async function* given(context: CallContext): AsyncGenerator<ChatCompletionChunk> {
    try {
      yield* chunks(context);
    } finally {
      state.left += 1;
    }
  }
  const provider: Provider = {
    complete: () => Promise.reject(new Error('not used')),
    stream: async (_request, context) => ({ chunks: given(context), unsupported: [] }),
  };
  return {
    provider,
    get left() {
      return state.left;
    },
  };
}

/** A response stream that accepts and keeps everything at once. */
export function lineOf(fields: Partial<StreamTarget> = {}): StreamTarget & { frames: ChatCompletionChunk[] } {
  const frames: ChatCompletionChunk[] = [];
  const sink: AnswerSink = {
    ready: () => undefined,
    write: (frame) => {
      frames.push(frame as ChatCompletionChunk);
      return undefined;
    },
  };
  return { sink, keep: false, tail: null, frames, ...fields };
}

/** The text that was sent in a field of a choice. */
export function textOf(frames: readonly ChatCompletionChunk[], index = 0, field = 'content'): string {
  const choices = frames.flatMap((frame) => frame.choices).filter((choice) => choice.index === index);
  return choices.map(({ delta }) => (typeof delta[field] === 'string' ? delta[field] : '')).join('');
}

type WordVerdict = 'sanitize' | 'block';

/** Masks or refuses a word. In a stream, it holds back text that may still become the word. */
export function wordGuard(word: string, verdict: WordVerdict, capability: 'window' | 'post' = 'window'): Guard {
  const code = word.replaceAll(' ', '_');
  const check: Guard['check'] = (segments): GuardResult => {
    const edits = segments.flatMap(({ index, text }) =>
      [...text.matchAll(new RegExp(word, 'g'))].map((match) => ({
        segment: index,
        start: match.index,
        end: match.index + word.length,
        replacement: '<MASKED>',
      })),
    );
    return resultOf(code, verdict, edits.length, edits);
  };
  return {
    stages: ['ingress', 'egress'],
    verdicts: [verdict],
    check,
    stream: { capability, open },
  };

  function open(ctx: GuardContext): GuardStream {
    const tails = new Map<string, string>();
    let found = 0;
    const take = (channel: { choice: number; path: string }, text: string, keep: number) => {
      const key = `${channel.choice} ${channel.path}`;
      const parts = ((tails.get(key) ?? '') + text).split(word);
      found += parts.length - 1;
      const last = parts.pop() ?? '';
      const wanted = Math.max(0, last.length - keep);
      const cut = last.slice(0, wanted).isWellFormed() ? wanted : wanted - 1;
      tails.set(key, last.slice(cut));
      if (capability === 'post') return { release: text };
      if (verdict === 'block' && found > 0) return { release: '', stop: { code } };
      return { release: parts.map((part) => `${part}<MASKED>`).join('') + last.slice(0, cut) };
    };
    return {
      push: (chunk) => take(chunk, chunk.text, word.length - 1),
      end: (channel) => take(channel, '', 0),
      complete: (segments) => check(segments, ctx),
      finish: () => resultOf(code, verdict, found, []),
    };
  }
}

function resultOf(code: string, verdict: WordVerdict, count: number, edits: GuardResult['edits']): GuardResult {
  if (count === 0) return { verdict: 'allow', code: 'clean', edits: [], findings: [] };
  return { verdict, code, edits, findings: [{ entity_type: code, count }] };
}
