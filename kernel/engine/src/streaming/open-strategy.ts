import type { ChatChunkChoice } from '@svc/contracts';
import type { FrameWriter, Piece } from './frame-writer.ts';
import { HeldFields } from './held-fields.ts';
import type { ChunkFields, Ending, StreamStrategy } from './stream-strategy.ts';

/** Without egress nodes an answer is sent as the provider gives it, including unknown fields. */
export class OpenStrategy implements StreamStrategy {
  readonly violation = null;
  readonly left_out = [];
  readonly waits = false;
  readonly #writer: FrameWriter;
  /** Fields of chunks without text are sent with the next chunk that has some. */
  readonly #noted = new HeldFields();

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  async take({ finish_reason: _, ...choice }: ChatChunkChoice, fields: ChunkFields): Promise<void> {
    // A provider's first chunk often holds only the role; until there is more, another provider may still be tried.
    if (!says(choice)) return this.note(fields);
    const all = this.#noted.isEmpty ? fields : { ...this.#noted.all(), ...fields };
    this.#noted.clear();
    await this.#writer.send(choice, all);
  }

  async flush(): Promise<void> {}

  note(fields: ChunkFields): void {
    this.#noted.hold(fields);
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
