// Measures how much of the prompts vendors' caches hold if each endpoint has its own cache. `npm run bench:affinity -- --conversations 200 --turns
// 8`.
import { parseArgs } from 'node:util';
import { type CachingUpstream, startCachingUpstream } from '../fixtures/caching-upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const { values } = parseArgs({
  options: { conversations: { type: 'string', default: '200' }, turns: { type: 'string', default: '8' } },
});
const CONVERSATIONS = Number(values.conversations);
const TURNS = Number(values.turns);
const PROMPT = 'The handbook says what to do and what to leave, at length. '.repeat(40);
/** Weight of the first endpoint. The others have weight 1. */
const FIRST = 2;

/** Sends all conversations with their turns interleaved. Each conversation has its own rules and grows with every turn. */
async function talk(gateway: TestGateway): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1)
    await Promise.all(
      Array.from({ length: CONVERSATIONS }, async (_, index) => {
        const said = Array.from({ length: turn }, (_, past) => [
          { role: 'assistant', content: 'well' },
          { role: 'user', content: `and then, in step ${past}? ${PROMPT.slice(0, 200)}` },
        ]).flat();
        const messages = [{ role: 'user', content: `${index}: ${PROMPT}` }, ...said];
        const prompt_cache_key = `conversation-${index}`;
        const { status } = await gateway.post('/v1/chat/completions', { model: 'shared', messages, prompt_cache_key });
        if (status !== 200) throw new Error(`the gateway answered ${status}`);
      }),
    );
}

async function measure(count: number, affinity: 'cache' | 'none'): Promise<void> {
  const upstreams: CachingUpstream[] = [];
  for (let made = 0; made < count; made += 1) upstreams.push(await startCachingUpstream());
  const providers = Object.fromEntries(upstreams.map(({ url }, index) => [`p${index}`, { type: 'openai', base_url: url }]));
  const endpoints = Object.keys(providers).map((provider, index) => ({ provider, model: 'm', weight: index === 0 ? FIRST : 1 }));
  const shared = { endpoints, affinity, pipeline: { ingress: [], egress: [] } };
  const gateway = await TestGateway.start({ config: echoConfig({ providers, routes: { shared } }) });
  try {
    await talk(gateway);
  } finally {
    await gateway.dispose();
    for (const upstream of upstreams) await upstream.close();
  }
  const sum = (what: 'prompt' | 'cached') => upstreams.reduce((total, { counted }) => total + counted[what], 0);
  const calls = upstreams.map(({ requests }) => requests.length);
  const share = (calls[0] ?? 0) / calls.reduce((total, each) => total + each, 0);
  const row = [
    String(count).padStart(9),
    affinity.padEnd(8),
    `${((100 * sum('cached')) / sum('prompt')).toFixed(1)} %`.padStart(8),
    `${(100 * share).toFixed(1)} %`.padStart(11),
    `${((100 * FIRST) / (FIRST + count - 1)).toFixed(1)} %`.padStart(7),
  ];
  console.log(row.join('  '));
}

console.log(`${CONVERSATIONS} conversations of ${TURNS} turns`);
console.log('endpoints  affinity    cached    its share  weight');
for (const count of [2, 4]) for (const affinity of ['none', 'cache'] as const) await measure(count, affinity);
