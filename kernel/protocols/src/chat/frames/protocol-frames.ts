import type { ChatCompletionChunk, ProtocolFrames } from '@svc/contracts';
import { chatUsage } from '../usage.ts';
import { checkableChunk } from './checkable-chunk.ts';
import { ChatEnding } from './ending.ts';
import { ChatGatherer } from './gatherer.ts';
import { ChatReader } from './reader.ts';
import { CHAT_FRAME } from './table.ts';
import { framesOf } from './whole-frames.ts';

/** Streamed answers in the chat format. Clients skip SSE comments, so no keep-alive frame is needed. */
export const CHAT_FRAMES: ProtocolFrames = {
  table: CHAT_FRAME,
  reader: () => new ChatReader(),
  checkable: checkableChunk,
  gatherer: () => new ChatGatherer(),
  framesOf,
  ending: () => new ChatEnding(),
  keepAlive: null,
  opening: () => [],
  isOpening: () => false,
  numbered: (frame) => frame,
  withUsage: (frame, usage) =>
    'usage' in frame && (frame.usage !== null || isUsageChunk(frame as ChatCompletionChunk))
      ? { ...frame, usage: chatUsage(usage) }
      : frame,
  withReceipts: (frame, receipts) =>
    (frame as ChatCompletionChunk).choices.every(({ finish_reason }) => finish_reason != null)
      ? { ...frame, ...receipts }
      : frame,
};

function isUsageChunk({ choices }: ChatCompletionChunk): boolean {
  return choices.length === 0;
}
