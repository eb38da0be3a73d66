import type { ChatCompletionChunk, ChatRequest, ChatUsage, TokenUsage } from '../contracts/index.ts';
import { estimatedUsage, MOST_COUNTED, reportedUsage } from '../pipeline/index.ts';
import { TEXT_FIELDS } from './chunk.ts';

/** Knows what a stream used: the provider's last figures, else counted from the text that came. */
export class OutputMeter {
  /** As the provider gave it last: some send running totals. */
  reported: ChatUsage | null = null;
  #beginning = '';
  #length = 0;

  /** @returns whether the chunk brought anything that a model wrote */
  take({ choices, usage }: ChatCompletionChunk): boolean {
    if (usage != null) this.reported = usage;
    const before = this.#length;
    for (const { delta } of choices) {
      for (const field of TEXT_FIELDS) this.#count(delta[field]);
      for (const { function: called } of delta.tool_calls ?? []) {
        this.#count(called?.name);
        this.#count(called?.arguments);
      }
    }
    return this.#length > before;
  }

  async usage(request: ChatRequest): Promise<TokenUsage> {
    return reportedUsage(this.reported) ?? (await estimatedUsage(request, this.#beginning, this.#length));
  }

  #count(text: unknown): void {
    if (typeof text !== 'string') return;
    this.#length += text.length;
    if (this.#beginning.length < MOST_COUNTED) this.#beginning += text.slice(0, MOST_COUNTED - this.#beginning.length);
  }
}
