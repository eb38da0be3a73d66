import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { callContext, promptly, readStream, rejectsWith } from './calls.ts';
import type { ProviderConformanceOptions, WithProvider } from './conformance.ts';

function stalledCases(stalled: NonNullable<ProviderConformanceOptions['stalled']>, model: string): ConformanceCase[] {
  const request = { model, messages: [{ role: 'user', content: 'Is anyone there?' }] };
  return (['complete', 'stream'] as const).map((method) => ({
    name: `abort: ${method} before an upstream that does not answer rejects at once`,
    run: async () => {
      const { provider, reached } = await stalled();
      const { context, abort } = callContext();
      try {
        const call = method === 'complete' ? provider.complete(request, context) : readStream(provider, request, context);
        const rejected = rejectsWith('aborted', method, call);
        await promptly('reaching the upstream', Promise.race([reached, rejected]));
        abort();
        await rejected;
      } finally {
        await promptly('close', Promise.resolve(provider.close?.()));
      }
    },
  }));
}

/** Cases for aborted calls. */
export function abortCases(withProvider: WithProvider, options: ProviderConformanceOptions): ConformanceCase[] {
  return [
    {
      name: 'abort: a call whose signal is already aborted rejects',
      run: withProvider(async (provider, request) => {
        const { context, abort } = callContext();
        abort();
        await rejectsWith('aborted', 'complete', provider.complete(request, context));
        await rejectsWith('aborted', 'stream', readStream(provider, request, context));
      }),
    },
    {
      name: 'abort: in mid-stream, the next chunk asked for rejects',
      run: withProvider(async (provider, request) => {
        const { context, abort } = callContext();
        const { chunks } = await provider.stream(request, context);
        const iterator = chunks[Symbol.asyncIterator]();
        await iterator.next();
        abort();
        await rejectsWith('aborted', 'next', iterator.next());
      }),
    },
    ...(options.stalled === undefined ? [] : stalledCases(options.stalled, options.model)),
    {
      name: 'return: leaving a stream early ends it, and nothing hangs on close',
      run: withProvider(async (provider, request) => {
        const { chunks } = await provider.stream(request, callContext().context);
        const iterator = chunks[Symbol.asyncIterator]();
        await iterator.next();
        await promptly('return', Promise.resolve(iterator.return?.()));
        assert.same((await promptly('next', iterator.next())).done, true, 'a stream that was left has ended');
      }),
    },
    {
      name: 'return: a stream that nobody reads can be left, and nothing hangs on close',
      run: withProvider(async (provider, request) => {
        const { chunks } = await provider.stream(request, callContext().context);
        await promptly('return', Promise.resolve(chunks[Symbol.asyncIterator]().return?.()));
      }),
    },
    {
      name: 'close: resolves for an instance that was never used',
      run: withProvider(async () => {}),
    },
  ];
}
