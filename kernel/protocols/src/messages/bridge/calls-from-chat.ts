import { type AnswerFrame, JSON_VALUE_BYTES, type ToolCallDelta } from '@svc/contracts';
import { anyArguments } from '../../common/function-call.ts';

interface Call {
  id: string;
  name: string;
  written: string;
}

/**
 * Collects the tool calls of a streamed chat completion and writes them at the end. The API needs one block after another, but the pieces of several
 * calls may alternate.
 */
export class CallsFromChat {
  readonly #calls = new Map<number, Call>();
  /** Bytes of calls that are buffered. */
  held = 0;

  get count(): number {
    return this.#calls.size;
  }

  take(deltas: readonly ToolCallDelta[]): void {
    for (const { index, id, function: called } of deltas) {
      const call = this.#calls.get(index) ?? { id: '', name: '', written: '' };
      this.#calls.set(index, call);
      call.id ||= id ?? '';
      call.name ||= called?.name ?? '';
      const written = called?.arguments ?? '';
      call.written += written;
      this.held += written.length + JSON_VALUE_BYTES;
    }
  }

  /** @param from index of the first block */
  frames(from: number): AnswerFrame[] {
    return [...this.#calls.values()].flatMap((call, at) => framesOfCall(call, from + at));
  }
}

function framesOfCall({ id, name, written }: Call, index: number): AnswerFrame[] {
  const partial_json = JSON.stringify(anyArguments(written));
  return [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
    { type: 'content_block_stop', index },
  ];
}
