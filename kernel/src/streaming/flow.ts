import type { ChatChunkChoice, ChatUsage, SvcError } from '../contracts/index.ts';
import type { FrameHead } from './frame-writer.ts';
import type { Violation } from './guard-chain.ts';

/** What the last frames of an answer say. */
export interface Ending {
  /** How each choice ended, by its index. */
  readonly finish_reasons: ReadonlyMap<number, string>;
  /** The provider's own figures; null where it gave none. */
  readonly usage: ChatUsage | null;
}

/** How the pieces of an answer get from the provider to the caller. */
export interface Flow {
  /** Why nothing more may leave; null while it may. */
  readonly violation: Violation | null;
  take(head: FrameHead, choice: ChatChunkChoice): Promise<void>;
  /** All has come: what was held leaves, if it may. @returns the ending as callers may see it, or why there is none */
  close(head: FrameHead, ending: Ending): Promise<Ending | SvcError>;
  /** Records what the guards saw and said, also where the answer was cut short. @returns what they refuse, also now */
  settle(): Promise<Violation | null>;
}
