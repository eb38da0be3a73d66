import type { Guard, GuardContext, GuardResult, GuardStream, Segment, StreamChunk, StreamStep } from '@svc/contracts';

const NOTHING: GuardResult = { verdict: 'allow', code: 'gathered', edits: [], findings: [] };

/**
 * A streamed answer for an observing guard that can only check whole answers. All text passes. At the end, the text is checked in the same way as
 * `check` would have checked it before it was sent.
 */
export class GatheredStream implements GuardStream {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #isUntrusted: boolean;
  readonly #texts = new Map<string, { readonly choice: number; readonly path: string; text: string }>();
  readonly #parts: Segment[] = [];
  /** The parts so far. They are compared, because some upstreams repeat a part, such as their sources, in each frame. */
  readonly #said = new Set<string>();

  /** @param isUntrusted whether the route does not trust the assistant's texts */
  constructor(guard: Guard, context: GuardContext, isUntrusted: boolean) {
    this.#guard = guard;
    this.#context = context;
    this.#isUntrusted = isUntrusted;
  }

  push({ choice, path, text }: StreamChunk): StreamStep {
    const key = `${choice} ${path}`;
    const known = this.#texts.get(key);
    if (known === undefined) this.#texts.set(key, { choice, path, text });
    else known.text += text;
    return { release: text };
  }

  end(): StreamStep {
    return { release: '' };
  }

  complete(segments: readonly Segment[]): GuardResult {
    for (const segment of segments) {
      const said = `${segment.choice} ${segment.path} ${segment.text}`;
      if (!this.#said.has(said)) this.#parts.push(segment);
      this.#said.add(said);
    }
    return NOTHING;
  }

  /** Returns the result without edits, because the text was already sent. */
  async finish(): Promise<GuardResult> {
    const texts = [...this.#texts.values()].map(({ choice, path, text }) => ({
      text,
      kind: 'text' as const,
      role: 'assistant',
      path,
      choice,
      origin: 'assistant' as const,
      untrusted: this.#isUntrusted,
    }));
    const segments = [...texts, ...this.#parts].map((segment, index) => ({ ...segment, index }));
    const result = await this.#guard.check(segments, this.#context);
    // The kernel checks the result's form.
    return typeof result === 'object' && result !== null ? { ...result, edits: [] } : result;
  }
}
