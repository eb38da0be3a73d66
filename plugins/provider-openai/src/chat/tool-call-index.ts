import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/**
 * Numbers the tool calls of a streamed choice. Gemini's deltas have no index, or have 0 for all parallel calls. In that case, each new id starts a
 * call or, without ids, each name does.
 */
export class ToolCallIndexes {
  /** Ids of the calls so far. Empty if the server sent none. */
  readonly #ids: string[] = [];
  /** The latest call for each of the server's indexes. */
  readonly #byIndex = new Map<number, number>();
  readonly #byId = new Map<string, number>();

  /** Sets the `index` of a delta, and gives an id to a new call without one. */
  set(call: JsonObject): void {
    const given = typeof call.index === 'number' ? call.index : null;
    const id = typeof call.id === 'string' ? call.id : '';
    const known = this.#continued(given, id, isNamed(call));
    if (known !== undefined) {
      call.index = known;
      return;
    }
    const index = this.#ids.push(id) - 1;
    if (given !== null) this.#byIndex.set(given, index);
    if (id !== '') this.#byId.set(id, index);
    call.index = index;
    if (id === '' && given === null) call.id = `call_${index}`;
  }

  /** The call that a delta continues. Undefined if the delta starts a new one. */
  #continued(given: number | null, id: string, named: boolean): number | undefined {
    const same = given === null ? this.#lastWith(id) : this.#byIndex.get(given);
    if (same === undefined || !named) return same;
    // Some servers repeat the name with each piece of a call.
    const repeated = id === '' ? given !== null : id === this.#ids[same];
    return repeated ? same : undefined;
  }

  #lastWith(id: string): number | undefined {
    if (id !== '') return this.#byId.get(id);
    return this.#ids.length === 0 ? undefined : this.#ids.length - 1;
  }
}

function isNamed({ function: called }: JsonObject): boolean {
  return isObject(called) && typeof called.name === 'string' && called.name !== '';
}
