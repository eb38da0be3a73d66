import type { AnyProvider, BridgedProtocol, CallContext, ChatCompletionChunk, ChatRequest, Provider } from '@svc/contracts';

/** Wraps a provider of another protocol as a chat provider, as the engine does for callers of the chat format. */
export function chatProvider(native: AnyProvider, { id, bridge }: BridgedProtocol): Provider {
  const asked = (request: ChatRequest, context: CallContext) => ({
    ...bridge.requestFromChat(request),
    context: { ...context, protocol: id },
    identity: { id: context.run_id, created: 1_700_000_000, model: request.model },
  });
  return {
    async complete(request, given) {
      const { body, lost, context, identity } = asked(request, given);
      const { completion, unsupported } = await native.complete(body, context);
      return { completion: bridge.answerToChat(completion, identity), unsupported: [...lost, ...unsupported] };
    },
    async stream(request, given) {
      const { body, lost, context, identity } = asked(request, given);
      const { chunks, unsupported } = await native.stream(body, context);
      const frames = chunks[Symbol.asyncIterator]();
      const bridged = bridge.framesToChat(identity);
      const made: ChatCompletionChunk[] = [];
      let isOver = false;
      let isLeft = false;
      const next = async (): Promise<IteratorResult<ChatCompletionChunk, undefined>> => {
        while (made.length === 0 && !isOver) {
          const frame = await frames.next();
          isOver = frame.done === true;
          if (isLeft) break;
          made.push(...(frame.done === true ? bridged.end() : bridged.take(frame.value)));
        }
        const value = isLeft ? undefined : made.shift();
        return value === undefined ? { done: true, value } : { done: false, value };
      };
      const leave = async () => {
        isLeft = true;
        await frames.return?.();
        return { done: true, value: undefined } as const;
      };
      return {
        chunks: { [Symbol.asyncIterator]: () => ({ next, return: leave }) },
        unsupported: [...lost, ...unsupported],
      };
    },
    ...(native.embed === undefined ? {} : { embed: native.embed.bind(native) }),
    ...(native.close === undefined ? {} : { close: native.close.bind(native) }),
  };
}
