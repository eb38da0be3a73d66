import { type ChatRequest, SvcError, Turns } from '@svc/contracts';
import { SerialByName } from '@svc/runtime';
import { estimatedTokens, MAX_COUNTED, type TokenCounter } from '@svc/runtime/answers';
import { AtOnce } from './at-once.ts';

/** Maximum number of concurrent questions: of one principal, and of all. */
const MAX_OF_PRINCIPAL = 8;
const MAX_IN_ALL = 64;

/**
 * Counts the tokens of a request for a caller. One question is counted at a time. Runs whose provider reports no usage share the thread, and wait for
 * one question at most.
 */
export class TokenQuestions {
  readonly #count: TokenCounter;
  readonly #own = new AtOnce(MAX_OF_PRINCIPAL);
  readonly #turn = new SerialByName();
  #asked = 0;

  constructor(count: TokenCounter) {
    this.#count = count;
  }

  /**
   * Counts the tokens. The result is an estimate for long requests, and for models with other tokenizers.
   * @param gone aborts when the client disconnects
   * @throws {SvcError} SVC-LIMIT-003, SVC-BUSY-001
   */
  async answer(request: ChatRequest, principal_id: string, gone: AbortSignal): Promise<number> {
    if (this.#asked >= MAX_IN_ALL)
      throw new SvcError('SVC-BUSY-001', 'too many token counts are in progress; try again later', {
        retry_after_s: 1,
      });
    this.#asked += 1;
    try {
      return await this.#own.run(principal_id, () => this.#turn.take('', () => this.#counted(request, gone)));
    } finally {
      this.#asked -= 1;
    }
  }

  async #counted({ messages, tools }: ChatRequest, gone: AbortSignal): Promise<number> {
    if (gone.aborted) throw new SvcError('SVC-BUSY-001', 'the caller disconnected');
    const turns = new Turns();
    let beginning = '';
    let length = 0;
    for (const part of [...messages.map(withoutThinking), ...(Array.isArray(tools) ? tools : [])]) {
      if (turns.isOver) await turns.next();
      const text = JSON.stringify(part);
      beginning += text.slice(0, MAX_COUNTED - beginning.length);
      length += text.length;
    }
    return estimatedTokens(beginning, length, this.#count);
  }
}

/** Earlier thinking is not part of the context, and its handles are longer than the thinking itself. */
function withoutThinking({ thinking_blocks: _, ...message }: ChatRequest['messages'][number]): object {
  return message;
}
