import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Exchange, replay, VENDORS } from '../harness/exchanges.ts';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { endingsOf, StreamReader, textOf } from '../harness/stream-reader.ts';

const WEATHER = { name: 'get_weather', description: 'Weather of a city.', parameters: { type: 'object', properties: {} } };
const CHAT = { messages: [{ role: 'user', content: 'Hello.' }], tools: [{ type: 'function', function: WEATHER }] };
const STOPS: Readonly<Record<string, string>> = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const { origin } = new URL(upstream.url);
  const sections = [...VENDORS].map(([name, { provider }]) => [
    name,
    JSON.parse(JSON.stringify(provider).replaceAll('{origin}', origin)),
  ]);
  const routes = [...VENDORS].flatMap(([name, { exchanges }]) =>
    exchanges.map(({ what, model }) => [routeOf(name, what), { provider: name, model }]),
  );
  gateway = await TestGateway.start({
    here: true,
    config: { protocols: [{ type: 'gemini' }], providers: Object.fromEntries(sections), routes: Object.fromEntries(routes) },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

function routeOf(name: string, what: string): string {
  return `${name}-${what.toLowerCase().replaceAll(' ', '-')}`;
}

const calls = ({ calls: called = [] }: Exchange['answer']) => called.map(({ name, arguments: given }) => [name, given]);
const parsed = (all: readonly JsonObject[] = []) =>
  all.map((call) => [Object(call.function).name, JSON.parse(String(Object(call.function).arguments))]);

describe.each([...VENDORS])('%s', (name, vendor) => {
  const chats = vendor.exchanges.filter(({ answer }) => answer.vector === undefined);
  const vectors = vendor.exchanges.filter(({ answer }) => answer.vector !== undefined);

  function expectSent(path: string | undefined): void {
    const sent = upstream.requests.at(-1);
    expect(sent?.path).toBe(path);
    if (vendor.key !== null) expect(String(sent?.headers[vendor.key.name]).startsWith(vendor.key.value)).toBe(true);
    expect(sent?.headers['accept-encoding']).toBe('identity');
  }

  async function ask(path: string, exchange: Exchange, body: JsonObject): Promise<Answer> {
    upstream.respond(replay(vendor, exchange, 'whole'));
    const answer = await gateway.post(path, { model: routeOf(name, exchange.what), ...body });
    expect(answer.body).toMatchObject({ object: expect.anything() } satisfies object);
    expectSent(exchange.paths.whole);
    return answer;
  }

  describe.each(chats)('$what', (exchange) => {
    const { answer } = exchange;

    it('is read whole', async () => {
      const { choices, usage } = (await ask('/v1/chat/completions', exchange, CHAT)).body;
      const [{ message, finish_reason }] = choices;
      expect([message.content ?? '', finish_reason]).toEqual([answer.text ?? '', answer.finish]);
      expect(message.reasoning_content).toBe(answer.reasoning);
      expect(message.content_parts).toEqual(answer.others);
      expect(parsed(message.tool_calls)).toEqual(calls(answer));
      expect([usage.prompt_tokens, usage.completion_tokens]).toEqual(answer.usage);
    });

    it('is read as it comes', async () => {
      upstream.respond(replay(vendor, exchange, 'streamed'));
      const reader = await StreamReader.ask(gateway, 'Hello.', {
        ...CHAT,
        model: routeOf(name, exchange.what),
        stream_options: { include_usage: true },
      });
      const frames = await reader.rest();
      expectSent(exchange.paths.streamed);
      expect(reader.done).toBe(true);
      expect(textOf(frames)).toBe(answer.text ?? '');
      expect(endingsOf(frames)).toEqual([[0, answer.finish]]);
      const deltas = frames.flatMap(({ choices }) => choices.map(({ delta }) => delta));
      expect(deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe(answer.reasoning ?? '');
      expect(deltas.flatMap(({ content_parts }) => content_parts ?? [])).toEqual(answer.others ?? []);
      const pieces = deltas.flatMap(({ tool_calls }) => (tool_calls ?? []) as JsonObject[]).map((call) => Object(call.function));
      expect(pieces.map((called) => called.name ?? '').join('')).toBe(answer.calls?.[0]?.name ?? '');
      const written = pieces.map((called) => called.arguments ?? '').join('');
      expect(written === '' ? undefined : JSON.parse(written)).toEqual(answer.calls?.[0]?.arguments);
      const { prompt_tokens, completion_tokens } = frames.findLast(({ usage }) => usage != null)?.usage ?? {};
      expect([prompt_tokens, completion_tokens]).toEqual(answer.usage);
    });

    it('is read over the Messages API', async () => {
      const tools = [{ name: WEATHER.name, input_schema: WEATHER.parameters }];
      upstream.respond(replay(vendor, exchange, 'whole'));
      const { body } = await gateway.post('/v1/messages', {
        model: routeOf(name, exchange.what),
        max_tokens: 100,
        messages: CHAT.messages,
        tools,
      });
      expect(body.stop_reason).toBe(STOPS[answer.finish ?? '']);
      const of = (type: string): JsonObject[] => body.content.filter((block: JsonObject) => block.type === type);
      expect(
        of('text')
          .map(({ text }) => text)
          .join(''),
      ).toBe(answer.text ?? '');
      expect(of('tool_use').map((use) => [use.name, use.input])).toEqual(calls(answer));
    });

    it('is read over the Responses API', async () => {
      const tools = [{ type: 'function', ...WEATHER }];
      const { body } = await ask('/v1/responses', exchange, { input: 'Hello.', tools });
      expect(body.status).toBe(answer.finish === 'length' ? 'incomplete' : 'completed');
      const of = (type: string): JsonObject[] => body.output.filter((item: JsonObject) => item.type === type);
      expect(
        of('message')
          .flatMap(({ content }) => content)
          .map((part) => Object(part).text)
          .join(''),
      ).toBe(answer.text ?? '');
      expect(of('function_call').map((call) => [call.name, JSON.parse(String(call.arguments))])).toEqual(calls(answer));
    });
  });

  it.each(vectors)('$what are read, as numbers and as base64', async (exchange) => {
    const base64 = Buffer.from(Float32Array.from(exchange.answer.vector ?? []).buffer).toString('base64');
    const numbers = await ask('/v1/embeddings', exchange, { input: 'Hello.' });
    expect(numbers.body.data[0].embedding).toEqual(exchange.answer.vector);
    const text = await ask('/v1/embeddings', exchange, { input: 'Hello.', encoding_format: 'base64' });
    expect(text.body.data[0].embedding).toBe(base64);
  });
});
