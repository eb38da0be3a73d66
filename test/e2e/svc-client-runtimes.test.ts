import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

/** What every runtime with fetch has, browsers and Deno among them; nothing of Node. */
const WEB = {
  fetch,
  Headers,
  crypto,
  URL,
  URLSearchParams,
  AbortController,
  AbortSignal,
  TextDecoder,
  DOMException,
  setTimeout,
  clearTimeout,
};

it('the client needs only web APIs, and no package', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@svc/client';", resolveDir: import.meta.dirname },
    conditions: ['@svc/source'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'svc',
  });
  const gateway = await TestGateway.start({ here: true, config: echoConfig() });
  try {
    const context = createContext({ ...WEB, base_url: gateway.url, key: gateway.key('alice') });
    runInContext(outputFiles[0]?.text ?? '', context);
    const told = runInContext(
      `(async () => {
        const client = new svc.SvcClient({ base_url, key });
        const request = { model: 'default', messages: [{ role: 'user', content: 'hello' }] };
        const whole = await client.chat(request);
        const streamed = await (await client.chatStream(request)).text();
        const refused = await client.runs.get('00000000-0000-7000-8000-000000000000').catch(({ code }) => code);
        return JSON.stringify([whole.choices[0].message.content, streamed, refused]);
      })()`,
      context,
    );
    expect(JSON.parse(await told)).toEqual(['echo: hello', 'echo: hello', 'SVC-RUN-001']);
  } finally {
    await gateway.dispose();
  }
});
