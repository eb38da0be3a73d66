import type { ChatCompletionChunk, ChatRequest, ChatUsage, TokenUsage, ToolCallDelta } from '../contracts/index.ts';
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
      for (const { function: called, custom } of (delta.tool_calls ?? []) as (ToolCallDelta & { custom?: unknown })[]) {
        this.#countFields(called);
        this.#countFields(custom);
      }
      this.#countFields(delta.function_call);
      this.#count((delta.audio as { transcript?: unknown } | null | undefined)?.transcript);
    }
    return this.#length > before;
  }

  /**
   * @param ended whether the answer came whole. Of one that was cut, and where the figures cannot be (no tokens for a text), the greater
   * of what was reported and what was counted holds, so that no spend is lost.
   */
  async usage(request: ChatRequest, ended: boolean): Promise<TokenUsage> {
    const reported = reportedUsage(this.reported);
    if (reported !== null && ended && (reported.output_tokens > 0 || this.#length === 0)) return reported;
    const counted = await estimatedUsage(request, this.#beginning, this.#length);
    if (reported === null) return counted;
    const input_tokens = reported.input_tokens > 0 ? reported.input_tokens : counted.input_tokens;
    const output_tokens = Math.max(reported.output_tokens, counted.output_tokens);
    return { input_tokens, output_tokens, cached_input_tokens: reported.cached_input_tokens, estimated: true };
  }

  #countFields(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const field of Object.values(value)) this.#count(field);
  }

  #count(text: unknown): void {
    if (typeof text !== 'string') return;
    this.#length += text.length;
    if (this.#beginning.length < MOST_COUNTED) this.#beginning += text.slice(0, MOST_COUNTED - this.#beginning.length);
  }
}
