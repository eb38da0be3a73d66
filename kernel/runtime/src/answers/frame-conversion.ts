import type { AnswerFrame, AnswerIdentity, ChatCompletionChunk, Protocol, RequestBody } from '@svc/contracts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** Converts frames of another protocol to the caller's. */
export interface FrameConversion {
  /** @throws {ProviderError} `malformed` */
  take(frame: AnswerFrame): readonly AnswerFrame[];
  /** @throws {ProviderError} `malformed` if the answer is not complete */
  end(): readonly AnswerFrame[];
  /** Bytes of the answer that it buffers. It never decreases. */
  readonly held: number;
}

/** Null if both protocols are the same. */
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
  // The ids of items are derived from this id. The upstream's own ids may repeat.
  const { id, created, model } = identity;
  return {
    take: (frame) => onward(toChat === null ? [{ ...frame, id, created, model }] : toChat.take(frame)),
    end: () => [...onward(toChat?.end() ?? []), ...(fromChat?.end() ?? [])],
    get held() {
      return (toChat?.held ?? 0) + (fromChat?.held ?? 0);
    },
  };
}
