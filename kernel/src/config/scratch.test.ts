import { afterEach, it } from 'vitest';
import { removeProjects } from '../plugins/test-project.ts';
import { formatDiagnostic } from './diagnostic.ts';
import { load } from './test-config.ts';

afterEach(removeProjects);
it('x', async () => {
  const { diagnostics, plugins, config } = await load(
    `server: { prot: 8000, port: "x", trust_proxy: yes }
auth:
  keys:
    - { principal_id: alice, key_hash: "sha256:abc" }
    - { principal_id: bob, key: "secret://env/BOB_KEY#value", routes: [defalt], roles: [aprove] }
    - { principal_id: carl }
    - { principal_id: "da ve", key: "secret://env/BOB_KEY" }
providers:
  parrot: { type: parrot, regoin: eu, base_url: "not a url", api_key: hunter2 }
  openai: { type: openai, api_key: "secret://vaultt/OPENAI#x" }
  nul:
  par: { type: parrot, timeout_ms: 1.5, region: "secret://env/X#y" }
packs:
  banned-words: { wrods: [a], timeout_msx: 3 }
  pii: { threshold: 3 }
  words: { type: banned-words, words: [a, A] }
  twin: {}
  bad name: { type: banned-words, words: [x] }
routes:
  default:
    provider: parot
    model: m
    ownr: x
    residency: [eu]
    approvers: [bbo]
    fallbacks: []
    pipeline: { ingress: [pii, budget, banned-word], egress: [], tool_call: [] }
exporters:
  - { type: jsonl, path: x }
  - { type: sink }
  - { path: x }
rag: {}
ledger: { origin: "a b", signing_keys: [] }
unknown: true
`,
    { installed: ['banned-words', 'parrot', 'twin-a', 'twin-b', 'sink', 'garbage-manifest', 'drawer'] },
  );
  console.log(
    diagnostics
      .map(formatDiagnostic)
      .map((l) => l.replaceAll(/\/tmp\/svc-project-\w+/g, ''))
      .join('\n'),
    plugins.length,
    config,
  );
});
