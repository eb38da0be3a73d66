import type { ChatCompletionChunk, ChatRequest, ChatUsage, TokenUsage } from '@svc/contracts';
import { estimatedUsage, MAX_COUNTED, reportedUsage, type TokenCounter } from '../calls/usage.ts';
import { GrowingText } from './growing-text.ts';

/** Fields that are not written by a model, audio data, and thinking that came as text already. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'data',
  'thinking_blocks',
  'reasoning_details',
  'extra_content',
]);

/** The usage of a stream: the provider's last figures, otherwise counted from the received text. */
export class UsageCounter {
  /** The provider's newest figures: some send running totals. */
  reported: ChatUsage | null = null;
  readonly #count_tokens: TokenCounter | null;
  readonly #beginning = new GrowingText();
  #length = 0;

  constructor(count_tokens: TokenCounter | null) {
    this.#count_tokens = count_tokens;
  }

  /** @returns whether the chunk contains text of the model */
  take({ choices, usage }: ChatCompletionChunk): boolean {
    if (usage != null) this.reported = usage;
    const before = this.#length;
    for (const { delta } of choices) {
      this.#countIn(delta);
    }
    return this.#length > before;
  }

  /**
   * @param ended whether the answer is complete. If it was cut, or the figures are impossible (no tokens for a text), the greater of the
   * reported and the counted number is used, so that no spend is lost.
   */
  async usage(request: ChatRequest, ended: boolean): Promise<TokenUsage> {
    const reported = reportedUsage(this.reported);
    if (reported !== null && ended && (reported.output_tokens > 0 || this.#length === 0)) return reported;
    const counted = await estimatedUsage(request, this.#beginning.toString(), this.#length, this.#count_tokens);
    if (reported === null) return counted;
    const input_tokens = reported.input_tokens > 0 ? reported.input_tokens : counted.input_tokens;
    const output_tokens = Math.max(reported.output_tokens, counted.output_tokens);
    return { input_tokens, output_tokens, cached_input_tokens: reported.cached_input_tokens, estimated: true };
  }

  /** Every text of a delta, whatever its field is called: providers use different names for reasoning. */
  #countIn(value: object): void {
    for (const field of Object.keys(value)) {
      if (NOT_WRITTEN.has(field)) continue;
      const member: unknown = Reflect.get(value, field);
      if (typeof member === 'string') this.#count(member);
      else if (typeof member === 'object' && member !== null) this.#countIn(member);
    }
  }

  #count(text: string): void {
    this.#length += text.length;
    const { length } = this.#beginning;
    if (length < MAX_COUNTED) this.#beginning.push(text.slice(0, MAX_COUNTED - length));
  }
}
