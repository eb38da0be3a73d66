import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { abortCases } from './abort-cases.ts';
import { answerCases } from './answer-cases.ts';
import { promptly } from './calls.ts';
import { embeddingCases } from './embedding-cases.ts';
import { malformedCases } from './malformed-cases.ts';
import type { ProviderConformanceOptions, WithProvider } from './options.ts';

/**
 * The checks that every provider must pass: shapes, joined streams, usage, reporting of unsupported parameters, unchanged requests,
 * well-formed text, malformed requests, abort, early return. Pass each case to your test runner:
 *
 *     for (const { name, run } of providerConformance({ create, model: 'm' })) test(name, run);
 */
export function providerConformance(options: ProviderConformanceOptions): ConformanceCase[] {
  const withProvider: WithProvider = (check) => async () => {
    const provider = await options.create();
    try {
      await check(provider, {
        model: options.model,
        messages: [
          { role: 'system', content: 'You answer briefly.' },
          { role: 'user', content: 'Say a few words: naïve café, 日本語, 👩‍💻.' },
        ],
      });
    } finally {
      await promptly('close', Promise.resolve(provider.close?.()));
    }
  };
  return explained([
    ...answerCases(withProvider),
    ...malformedCases(withProvider),
    ...abortCases(withProvider, options),
    ...embeddingCases(options),
  ]);
}
