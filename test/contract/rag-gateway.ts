import type { JsonObject } from '@svc/contracts';
import { onTestFinished } from 'vitest';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';

export const RAG = { vectors: { type: 'local' }, embedder: { type: 'local' } };
export const DOCUMENTS = [
  { text: 'Holidays are requested two weeks before.', metadata: { lang: 'en', year: 2026 } },
  { text: 'The kitchen is cleaned on Fridays.', metadata: { lang: 'en', year: 2025 } },
  { text: 'Die Küche wird freitags geputzt.', metadata: { lang: 'de', year: 2025 } },
];

export function ragConfig(rag: JsonObject = {}, changes: Parameters<typeof echoConfig>[0] = {}): GatewayConfig {
  const docs = { type: 'rag', namespace: 'handbook' };
  const forbidden = { name: 'forbidden', words: ['forbidden'], verdict: 'block' };
  const blocker = { type: 'rules', scope: 'new', rules: [forbidden] };
  const { routes, packs, ...rest } = changes;
  return echoConfig({
    packs: { docs, watched: { ...docs, mode: 'observe' }, blocker, ...packs },
    routes: {
      asked: {
        provider: 'local',
        model: 'echo-1',
        data_sources: ['wiki'],
        pipeline: { ingress: ['docs', 'mask', 'policy', 'blocker'] },
      },
      watched: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['watched'] } },
      ...routes,
    },
    rag: { ...RAG, ...rag },
    ...rest,
  });
}

export async function start(options: Parameters<typeof TestGateway.start>[0]): Promise<TestGateway> {
  const gateway = await TestGateway.start({ here: true, ...options });
  onTestFinished(() => gateway.dispose());
  return gateway;
}
