import type { ChatChunkChoice } from '../contracts/index.ts';
import type { ChunkFields, Ending, Flow } from './flow.ts';
import type { FrameWriter, Piece } from './frame-writer.ts';

const NOTHING: ChunkFields = {};

/** An answer that no egress node looks at leaves as the provider gives it, fields that we do not know included. */
export class OpenFlow implements Flow {
  readonly violation = null;
  readonly #writer: FrameWriter;
  /** What came in chunks that say nothing leaves with the next that does. */
  #noted = NOTHING;

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  async take({ finish_reason: _, ...choice }: ChatChunkChoice, fields: ChunkFields): Promise<void> {
    this.note(fields);
    // A provider's first chunk often says no more than the role; until there is more, another provider may still be tried.
    if (!says(choice)) return;
    const noted = this.#noted;
    this.#noted = NOTHING;
    await this.#writer.send(choice, noted);
  }

  note(fields: ChunkFields): void {
    this.#noted = this.#noted === NOTHING ? fields : { ...this.#noted, ...fields };
  }

  async close(ending: Ending): Promise<Ending> {
    return ending;
  }

  async settle(): Promise<null> {
    return null;
  }
}

function says({ index: _, delta, ...rest }: Piece): boolean {
  const full = (value: unknown): boolean => value != null && value !== '';
  return Object.entries(delta).some(([field, value]) => field !== 'role' && full(value)) || Object.values(rest).some(full);
}
