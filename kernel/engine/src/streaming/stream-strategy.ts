import type { ChatChunkChoice, ChatUsage, SvcError } from '@svc/contracts';
import type { Violation } from './guard-chain.ts';

/** A chunk's fields beside its choices and usage. */
export type ChunkFields = Readonly<Record<string, unknown>>;

/** The content of an answer's last frames. */
export interface Ending {
  /** The finish reason of each choice, by its index; null if the provider gave none. */
  readonly finish_reasons: ReadonlyMap<number, string | null>;
  /** The provider's own figures; null if it gave none. */
  readonly usage: ChatUsage | null;
  /** Fields of the last frames beside the choices that were held until now. */
  readonly fields: ChunkFields;
}

/** How the pieces of an answer go from the provider to the caller. */
export interface StreamStrategy {
  /** Why nothing more may be sent; null while text may be sent. */
  readonly violation: Violation | null;
  /** Names of the fields that were left out so far; see `LeftOut`. */
  readonly left_out: readonly string[];
  /** `fields`: those of the chunk beside its choices. */
  take(choice: ChatChunkChoice, fields: ChunkFields): Promise<void>;
  /** Whether text waits to be shown to the guards together with more text that has arrived already. */
  readonly waits: boolean;
  /** Shows that text to the guards, and sends what they release. */
  flush(): Promise<void>;
  /** Takes the fields of a chunk without choices. */
  note(fields: ChunkFields): void;
  /** Ends a complete answer: sends the held parts if they may be sent. @returns the ending for callers, or why there is none */
  close(ending: Ending): Promise<Ending | SvcError>;
  /**
   * Asks the guards for their final verdict, even if the answer was cut short, and records it unless the answer is discarded.
   * @returns the violation, including one that is found only now
   */
  settle(recorded: boolean): Promise<Violation | null>;
}
