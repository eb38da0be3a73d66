import type { ChatChunkChoice, ChatUsage, SvcError } from '@svc/contracts';
import type { Violation } from './guard-chain.ts';

/** A chunk's fields beside its choices and usage. */
export type ChunkFields = Readonly<Record<string, unknown>>;

/** What the last frames of an answer say. */
export interface Ending {
  /** How each choice ended, by its index; null where the provider did not say. */
  readonly finish_reasons: ReadonlyMap<number, string | null>;
  /** The provider's own figures; null where it gave none. */
  readonly usage: ChatUsage | null;
  /** Fields of its last frames beside its choices, where they were held until now. */
  readonly fields: ChunkFields;
}

/** How the pieces of an answer get from the provider to the caller. */
export interface StreamStrategy {
  /** Why nothing more may leave; null while it may. */
  readonly violation: Violation | null;
  /** Names of the fields that were left out so far; see `LeftOut`. */
  readonly left_out: readonly string[];
  /** `fields`: those of the chunk beside its choices. */
  take(choice: ChatChunkChoice, fields: ChunkFields): Promise<void>;
  /** Whether text that came is still to be shown to the guards; it waits for more that has come already. */
  readonly waits: boolean;
  /** Shows it to them, and lets leave what may. */
  flush(): Promise<void>;
  /** A chunk came without choices. */
  note(fields: ChunkFields): void;
  /** All has come: what was held leaves, if it may. @returns the ending as callers may see it, or why there is none */
  close(ending: Ending): Promise<Ending | SvcError>;
  /**
   * Asks the guards for their last word, also where the answer was cut short, and records it unless nothing of the answer counts.
   * @returns what they refuse, also now
   */
  settle(recorded: boolean): Promise<Violation | null>;
}
