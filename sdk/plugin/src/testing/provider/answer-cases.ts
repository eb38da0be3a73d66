import type { ChatCompletionChunk } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { callContext, readStream } from './calls.ts';
import { joinChunks } from './join-chunks.ts';
import type { WithProvider } from './options.ts';

async function assertShape(shape: 'completion' | 'chunk', value: unknown, what: string): Promise<void> {
  // Imported only here, because typebox has hundreds of files, and this package is also loaded by processes that check no answers.
  const { errorsOf } = await import('./shapes.ts');
  const errors = errorsOf(shape, value);
  assert.ok(errors.length === 0, `${what} to match the contract`, errors.slice(0, 5).join('; '));
}

/** Every string and key in `value`, at any depth. */
function* strings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* strings(member);
    }
  }
}

function assertWellFormed(value: unknown, what: string): void {
  for (const text of strings(value)) assert.ok(text.isWellFormed(), `well-formed Unicode in ${what}`, 'half a surrogate pair');
}

function assertEnded(chunks: readonly ChatCompletionChunk[]): void {
  const open = new Set<number>();
  const ended = new Set<number>();
  for (const { index, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    assert.ok(!ended.has(index), `nothing for choice ${index} after its finish_reason`, 'more');
    open.add(index);
    if (finish_reason !== null) ended.add(index);
  }
  assert.ok(open.size > 0, 'a choice in the stream', 'none');
  assert.same([...ended].sort(), [...open].sort(), 'choices that end with a finish_reason');
}

/** Cases for a provider's answers. */
export function answerCases(withProvider: WithProvider): ConformanceCase[] {
  return [
    {
      name: 'complete: returns a chat completion',
      run: withProvider(async (provider, request) => {
        const { completion } = await provider.complete(request, callContext().context);
        await assertShape('completion', completion, 'completion');
      }),
    },
    {
      name: 'stream: returns chat completion chunks that join to a chat completion',
      run: withProvider(async (provider, request) => {
        const chunks = await readStream(provider, request, callContext().context);
        for (const [at, chunk] of chunks.entries()) await assertShape('chunk', chunk, `chunk ${at}`);
        assertEnded(chunks);
        await assertShape('completion', joinChunks(chunks), 'joined chunks');
      }),
    },
    {
      name: 'stream: puts usage into the last chunk',
      run: withProvider(async (provider, request) => {
        const chunks = await readStream(provider, request, callContext().context);
        assert.present(chunks.at(-1)?.usage, 'usage in the last chunk');
      }),
    },
    {
      name: 'does not change the request',
      run: withProvider(async (provider, request) => {
        const asked = { ...request, stream: true, stream_options: { include_usage: false } };
        const before = structuredClone(asked);
        await provider.complete(asked, callContext().context);
        assert.same(asked, before, 'after complete');
        await readStream(provider, asked, callContext().context);
        assert.same(asked, before, 'after stream');
      }),
    },
    {
      name: 'n: returns n choices, or reports `n` as unsupported',
      run: withProvider(async (provider, request) => {
        const asked = { ...request, n: 2 };
        const whole = await provider.complete(asked, callContext().context);
        if (!whole.unsupported.includes('n')) assert.same(whole.completion.choices.length, 2, 'choices of complete');
        const streamed = await readStream(provider, asked, callContext().context);
        if (!whole.unsupported.includes('n')) assert.same(joinChunks(streamed).choices.length, 2, 'choices of stream');
      }),
    },
    {
      name: 'unsupported: reports only parameters of the request',
      run: withProvider(async (provider, request) => {
        const asked = { ...request, temperature: 0.5, tools: [] };
        const { unsupported } = await provider.complete(asked, callContext().context);
        for (const name of unsupported)
          assert.ok(Object.hasOwn(asked, name.split('.')[0] ?? ''), 'names of parameters of the request', 'a different name');
      }),
    },
    {
      name: 'thinking: passes earlier thinking on unchanged, or reports it as unsupported',
      run: withProvider(async (provider, request) => {
        const thinking_blocks = [{ type: 'thinking', thinking: 'because', signature: 'c2lnbmF0dXJl' }];
        const messages = [...request.messages, { role: 'assistant', content: 'so', thinking_blocks }, ...request.messages];
        const asked = { ...request, messages };
        const before = structuredClone(asked);
        const { completion, unsupported } = await provider.complete(asked, callContext().context);
        await assertShape('completion', completion, 'completion');
        assert.same(asked, before, 'after complete');
        for (const name of unsupported) assert.ok(name.split('.')[0] === 'messages', 'paths in messages', 'a different name');
      }),
    },
    {
      name: 'returns only well-formed Unicode',
      run: withProvider(async (provider, request) => {
        const asked = { ...request, messages: [{ role: 'user', content: 'half a pair \ud83d and the other \udc69' }] };
        assertWellFormed((await provider.complete(asked, callContext().context)).completion, 'completion');
        assertWellFormed(await readStream(provider, asked, callContext().context), 'stream');
      }),
    },
  ];
}
