import type { TokenUsage } from '@svc/contracts';
import { GrowingText } from '@svc/protocols';
import { estimatedUsage, MAX_COUNTED, type TokenCounter } from '../answers/usage.ts';

/** Counts the text of a stream if its provider does not report usage. */
export class UsageCounter {
  readonly #count_tokens: TokenCounter | null;
  readonly #beginning = new GrowingText();
  #length = 0;

  constructor(count_tokens: TokenCounter | null) {
    this.#count_tokens = count_tokens;
  }

  count(text: string): void {
    this.#length += text.length;
    const { length } = this.#beginning;
    if (length < MAX_COUNTED) this.#beginning.push(text.slice(0, MAX_COUNTED - length));
  }

  /**
   * The provider's last figures or, without any, the counted ones. If the answer is incomplete, or the figures are impossible (no tokens for a text),
   * the larger of the reported and the counted number is used, so that no spend is lost.
   * @param read see `Protocol.readIn`
   * @param ended whether the answer is complete
   */
  async usage(read: unknown, reported: TokenUsage | null, ended: boolean): Promise<TokenUsage> {
    if (reported !== null && ended && (reported.output_tokens > 0 || this.#length === 0)) return reported;
    const counted = await estimatedUsage(read, this.#beginning.toString(), this.#length, this.#count_tokens);
    if (reported === null) return counted;
    const input_tokens = reported.input_tokens > 0 ? reported.input_tokens : counted.input_tokens;
    const output_tokens = Math.max(reported.output_tokens, counted.output_tokens);
    return { ...reported, input_tokens, output_tokens, estimated: true };
  }
}
