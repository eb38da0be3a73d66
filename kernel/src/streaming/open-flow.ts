import type { ChatChunkChoice } from '../contracts/index.ts';
import type { Ending, Flow } from './flow.ts';
import type { FrameHead, FrameWriter } from './frame-writer.ts';

/** An answer that no egress node looks at leaves as the provider gives it, fields that we do not know included. */
export class OpenFlow implements Flow {
  readonly violation = null;
  readonly #writer: FrameWriter;

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  async take(head: FrameHead, { finish_reason: _, ...choice }: ChatChunkChoice): Promise<void> {
    // A provider's first chunk often says no more than the role; until there is more, another provider may still be tried.
    const says = ([field, value]: [string, unknown]): boolean => field !== 'role' && value != null && value !== '';
    if (Object.entries(choice.delta).some(says)) await this.#writer.send(head, choice);
  }

  async close(_head: FrameHead, ending: Ending): Promise<Ending> {
    return ending;
  }

  async settle(): Promise<null> {
    return null;
  }
}
