import { type EmbeddingRequest, type ProviderEmbeddings, ProviderError } from '@svc/contracts';
import { CallRecord, type PipelineRun } from '@svc/kernel';
import { mayHaveCost } from '@svc/kernel/endpoints';
import type { AnswerTransport, AttemptEnd } from '@svc/kernel/ports';
import type { RouteEndpoint } from '@svc/kernel/routes';
import { CHAT, chatUsage, knownPath } from '@svc/protocols';
import { AnswerBytes } from './answer-bytes.ts';
import { asProviderError } from './as-provider-error.ts';
import { callWithDeadline } from './call-with-deadline.ts';
import { expectedBytes, learnDimensions, noRoomForVectors } from './expected-vectors.ts';
import { noRoomForAnswer } from './no-room.ts';
import type { TransportEnv } from './transport-env.ts';
import { embeddingUsage } from './usage.ts';
import { inRequestedForm } from './vector-form.ts';

/** The vectors, in the order of the texts, and the usage. */
interface Embedded extends Pick<ProviderEmbeddings, 'embeddings'> {
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

/**
 * Calls a model that embeds texts. The request has `input` instead of messages. The answer contains no text to check, so the egress nodes are
 * skipped. No fallback is tried, because vectors of different models in one index are not comparable.
 */
export class EmbeddingCall {
  #answer: Embedded | null = null;

  /** Null until the run is completed. */
  get answer(): Embedded | null {
    return this.#answer;
  }

  /** The transport for this call. The run cannot pause, because embeddings APIs cannot express a pending answer. */
  transport(env: TransportEnv): AnswerTransport {
    return { attempt: (run, endpoint) => this.#attempt(run, endpoint, env), judges: true, tail: null, pauses: false };
  }

  async #attempt(run: PipelineRun, endpoint: RouteEndpoint, env: TransportEnv): Promise<AttemptEnd> {
    const record = new CallRecord(run, endpoint, false, env, 'embeddings');
    const deadline = new AbortController();
    const bytes = new AnswerBytes(run.bytes, () => deadline.abort());
    const isCalled = !run.abort.signal.aborted;
    const request = embeddingRequest(run, endpoint.model);
    const { timeout_ms } = endpoint.timeouts;
    const without = bytes.expect(expectedBytes(request, endpoint));
    if (without !== null) return noRoomForVectors(without);
    try {
      const answer = await callWithDeadline(run, timeout_ms, deadline, bytes, async () => {
        // A provider need not support embeddings.
        if (endpoint.instance.embed === undefined) throw new ProviderError('configuration', { cost: 'none' });
        return endpoint.instance.embed(request, record.context(CHAT.id, deadline, timeout_ms, bytes));
      });
      if (bytes.exceeded !== false) throw new ProviderError('aborted');
      bytes.end('all');
      record.received();
      const usage = await embeddingUsage(request.input, answer.usage, env.count_tokens);
      record.bill(usage);
      if (!isAnswer(answer, request.input.length)) throw new ProviderError('malformed');
      learnDimensions(endpoint, answer.embeddings[0]);
      const { prompt_tokens, total_tokens } = answer.usage ?? chatUsage(usage);
      const embeddings = await inRequestedForm(answer.embeddings, request, run.principal_id);
      this.#answer = { embeddings, usage: { prompt_tokens, total_tokens } };
      record.answered({ finish_reason: null, unsupported: answer.unsupported.map((path) => knownPath(path, run.protocol)) });
      return { kind: 'answered' };
    } catch (thrown) {
      bytes.end('nothing');
      if (bytes.exceeded !== false) {
        run.cost = 'partial';
        record.cut();
        return noRoomForAnswer(bytes.exceeded);
      }
      const failure = asProviderError(thrown);
      record.failed(failure);
      if (isCalled && mayHaveCost(failure)) run.cost = 'partial';
      return { kind: 'failed', failure, fallback: false };
    }
  }
}

/** The texts after the guards edited them. */
function embeddingRequest({ request }: PipelineRun, model: string): EmbeddingRequest {
  const { messages: _, input, ...rest } = request;
  return { ...rest, model, input: Array.isArray(input) ? input.map(String) : [String(input)] };
}

/** Checks the vectors, because providers are plugins. A vector must not contain text. */
function isAnswer({ embeddings }: ProviderEmbeddings, count: number): boolean {
  return Array.isArray(embeddings) && embeddings.length === count && embeddings.every(isVector);
}

function isVector(value: unknown): boolean {
  if (typeof value === 'string') return /^[A-Za-z0-9+/]+={0,2}$/.test(value);
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);
}
