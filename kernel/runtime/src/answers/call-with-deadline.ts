import { ProviderError, withTimeout } from '@svc/contracts';
import type { AnswerBytes } from './answer-bytes.ts';

/** Calls a provider. The deadline covers the whole call, even if the provider ignores its signal. @throws {ProviderError} */
export async function callWithDeadline<T>(
  { abort }: { readonly abort: Pick<AbortController, 'signal'> },
  timeout_ms: number,
  deadline: AbortController,
  bytes: AnswerBytes,
  ask: () => Promise<T>,
): Promise<T> {
  if (abort.signal.aborted) throw new ProviderError('aborted');
  // `AbortSignal.any` is not used, because it keeps weak references that every garbage collection must visit.
  const raced = await withTimeout(bytes.during(ask()), timeout_ms, abort.signal);
  if (raced.done) return raced.value;
  deadline.abort();
  throw new ProviderError(abort.signal.aborted ? 'aborted' : 'timeout');
}
