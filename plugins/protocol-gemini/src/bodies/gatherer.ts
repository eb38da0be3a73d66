import type { JsonObject } from '@svc/sdk';
import { type AnswerBody, type AnswerFrame, objectsIn } from '@svc/sdk/protocol';
import { continues, joined, partsIn } from './parts.ts';

/** Assembles an answer from its frames. Consecutive texts become one part. */
export class Gatherer {
  #head: Record<string, unknown> = {};
  readonly #candidates = new Map<unknown, JsonObject>();

  take({ candidates, ...head }: AnswerFrame): void {
    this.#head = { ...this.#head, ...head };
    for (const candidate of objectsIn(candidates)) this.#grow(candidate);
  }

  answer(): AnswerBody {
    const all = [...this.#candidates.values()];
    return { ...(all.length === 0 && 'promptFeedback' in this.#head ? {} : { candidates: all }), ...this.#head };
  }

  #grow({ content, ...fields }: JsonObject): void {
    const index = fields.index ?? 0;
    const { content: before, ...known } = this.#candidates.get(index) ?? {};
    const parts = partsIn(before);
    for (const part of partsIn(content)) {
      const newest = parts.at(-1);
      if (newest !== undefined && continues(newest, part)) parts[parts.length - 1] = joined(newest, part);
      else parts.push(part);
    }
    const said =
      content === undefined && before === undefined ? {} : { content: { ...Object(before), ...Object(content), parts } };
    this.#candidates.set(index, { ...said, ...known, ...fields });
  }
}
