import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

interface Begun {
  /** What the server called it: its index, where it gave one. */
  readonly given: number | null;
  readonly id: string;
}

/**
 * Numbers the tool calls of a streamed choice. Gemini's deltas have no index, or 0 for every call that is made at once: there a call
 * begins with each new id, or with each name where there is no id.
 */
export class ToolCallIndexes {
  readonly #begun: Begun[] = [];

  /** Sets the `index` of a delta, and the id of a call that begins without one. */
  set(call: JsonObject): void {
    const given = typeof call.index === 'number' ? call.index : null;
    const id = typeof call.id === 'string' ? call.id : '';
    const known = this.#continued(given, id, isNamed(call));
    if (known !== -1) {
      call.index = known;
      return;
    }
    call.index = this.#begun.push({ given, id }) - 1;
    if (id === '' && given === null) call.id = `call_${call.index}`;
  }

  /** The call that a delta goes on with; -1 for one that begins. */
  #continued(given: number | null, id: string, named: boolean): number {
    const same = this.#begun.findLastIndex((call) => (given === null ? id === '' || call.id === id : call.given === given));
    const call = this.#begun[same];
    if (call === undefined || !named) return same;
    // A name comes once for each call; some servers repeat it.
    const repeated = id === '' ? given !== null : id === call.id;
    return repeated ? same : -1;
  }
}

function isNamed({ function: called }: JsonObject): boolean {
  return isObject(called) && typeof called.name === 'string' && called.name !== '';
}
