import type { AnswerFrame, AnswerIdentity, ChatCompletionChunk, Protocol, RequestBody } from '@svc/contracts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** Makes frames of the caller's protocol of those of another. */
export interface FrameConversion {
  /** @throws {ProviderError} `malformed` */
  take(frame: AnswerFrame): readonly AnswerFrame[];
  /** @throws {ProviderError} `malformed` where the answer is not complete */
  end(): readonly AnswerFrame[];
  /** Bytes of the answer that it holds. It never falls. */
  readonly held: number;
}

/** Null where both speak the same protocol. */
export function frameConversion(
  { spoken }: OutgoingRequest,
  { protocol, request }: { readonly protocol: Protocol; readonly request: RequestBody },
  identity: AnswerIdentity,
): FrameConversion | null {
  if (protocol === spoken) return null;
  const toChat = spoken.bridge?.framesToChat(identity) ?? null;
  const fromChat = protocol.bridge?.framesFromChat(request) ?? null;
  const onward = (chunks: readonly AnswerFrame[]): readonly AnswerFrame[] =>
    fromChat === null ? chunks : chunks.flatMap((chunk) => fromChat.take(chunk as ChatCompletionChunk));
  // Ids of items are made of it, and upstreams use theirs twice.
  const { id, created, model } = identity;
  return {
    take: (frame) => onward(toChat === null ? [{ ...frame, id, created, model }] : toChat.take(frame)),
    end: () => [...onward(toChat?.end() ?? []), ...(fromChat?.end() ?? [])],
    get held() {
      return (toChat?.held ?? 0) + (fromChat?.held ?? 0);
    },
  };
}
