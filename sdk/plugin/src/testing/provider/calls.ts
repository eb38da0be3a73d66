import { AssertionError } from 'node:assert';
import {
  type CallContext,
  type ChatCompletionChunk,
  type ChatRequest,
  isProviderError,
  type Provider,
  type ProviderErrorKind,
} from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { fakeCallContext } from '../fakes/index.ts';

/** How long a call may take to react to an abort, a return or a close. Generous, so that a busy machine passes. */
const PROMPT_MS = 5_000;

/** The context of a call, as the gateway creates it, with the controller of its signal. */
export function callContext(): { context: CallContext; abort: () => void } {
  const controller = new AbortController();
  return {
    context: fakeCallContext({ run_id: crypto.randomUUID(), signal: controller.signal }),
    abort: () => controller.abort(),
  };
}

/** Settles like `work`, or rejects if it takes longer than {@link PROMPT_MS}. */
export async function promptly<T>(what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(assert.failed(`${what} within ${PROMPT_MS} ms`, 'nothing')), PROMPT_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asserts that `work` rejects promptly with a ProviderError of this kind. */
export async function rejectsWith(kind: ProviderErrorKind, what: string, work: Promise<unknown>): Promise<void> {
  const error = await promptly(what, work).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AssertionError) throw error;
  const came = isProviderError(error) ? `kind ${error.kind}` : error === null ? 'none' : assert.nameOf(error);
  assert.ok(isProviderError(error) && error.kind === kind, `${what} to reject with a ProviderError of kind ${kind}`, came);
}

/** Reads a stream to its end. */
export async function readStream(provider: Provider, request: ChatRequest, context: CallContext): Promise<ChatCompletionChunk[]> {
  const read: ChatCompletionChunk[] = [];
  for await (const chunk of (await provider.stream(request, context)).chunks) read.push(chunk);
  return read;
}
