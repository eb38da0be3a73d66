import type { JsonObject, JsonValue } from '@svc/sdk';

/** Numbers the tool calls of one stream whose pieces have no `index`, as Gemini sends them: an id begins a call, anything else goes on with it. */
export class CallPlaces {
  readonly #counts = new Map<JsonValue | undefined, number>();

  /** @param choice index of the choice */
  number(choice: JsonValue | undefined, call: JsonObject): void {
    const count = this.#counts.get(choice) ?? 0;
    if (call.index == null) call.index = typeof call.id === 'string' ? count : Math.max(count - 1, 0);
    if (typeof call.index === 'number') this.#counts.set(choice, Math.max(count, call.index + 1));
  }
}
