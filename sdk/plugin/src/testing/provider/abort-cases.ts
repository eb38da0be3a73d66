import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { callContext, promptly, readStream, rejectsWith } from './calls.ts';
import type { ProviderConformanceOptions, WithProvider } from './options.ts';

function stalledCases(stalled: NonNullable<ProviderConformanceOptions['stalled']>, model: string): ConformanceCase[] {
  const request = { model, messages: [{ role: 'user', content: 'Is anyone there?' }] };
  return (['complete', 'stream'] as const).map((method) => ({
    name: `abort: ${method} rejects at once while the upstream does not answer`,
    run: async () => {
      const { provider, reached } = await stalled();
      const { context, abort } = callContext();
      try {
        const call = method === 'complete' ? provider.complete(request, context) : readStream(provider, request, context);
        const rejected = rejectsWith('aborted', method, call);
        await promptly('the request at the upstream', Promise.race([reached, rejected]));
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
      name: 'abort: rejects a call whose signal is already aborted',
      run: withProvider(async (provider, request) => {
        const { context, abort } = callContext();
        abort();
        await rejectsWith('aborted', 'complete', provider.complete(request, context));
        await rejectsWith('aborted', 'stream', readStream(provider, request, context));
      }),
    },
    {
      name: 'abort: rejects the next chunk when aborted during a stream',
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
      name: 'return: ends a stream that its reader leaves early, and closes',
      run: withProvider(async (provider, request) => {
        const { chunks } = await provider.stream(request, callContext().context);
        const iterator = chunks[Symbol.asyncIterator]();
        await iterator.next();
        await promptly('return', Promise.resolve(iterator.return?.()));
        assert.same((await promptly('next', iterator.next())).done, true, 'the stream to end after its reader left');
      }),
    },
    {
      name: 'return: ends a stream that was never read, and closes',
      run: withProvider(async (provider, request) => {
        const { chunks } = await provider.stream(request, callContext().context);
        await promptly('return', Promise.resolve(chunks[Symbol.asyncIterator]().return?.()));
      }),
    },
    {
      name: 'close: resolves for an unused instance',
      run: withProvider(async () => {}),
    },
  ];
}
