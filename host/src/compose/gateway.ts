import { join } from 'node:path';
import { Gateway, type GatewayOptions } from '@svc/runtime';
import { NamespaceKeys } from '@svc/runtime/content';
import type { RunsDb } from '../config/runs-db.ts';
import { withKeysOf } from '../keys/content-key.ts';
import { Rag, type RagFolders } from '../retrieval/index.ts';
import { countTokens } from '../tokens/token-counter.ts';
import { approverRights } from './approvers.ts';
import type { Container } from './container.ts';
import { ledgerOptions } from './ledger-options.ts';
import { outgoingFetch } from './plugin-deps.ts';
import {
  ACTIVE,
  BYTES_IN_FLIGHT,
  CLOCK,
  CONFIG,
  CONTENT_KEYS,
  GUARD_POOL,
  LOGGER,
  OBSERVER,
  OPTIONS,
  RAG,
  RELOAD,
  STORE,
  STORED_KEYS,
  STORED_PASSKEYS,
} from './tokens.ts';
import { usedPlugins } from './used-plugins.ts';

export async function openGateway(container: Container): Promise<Gateway> {
  const config = container.resolve(CONFIG);
  const { runs_db, seals_inventory, metrics, accepts_clock = false } = container.resolve(OPTIONS);
  const rag = await container.resolve(RAG);
  const content_keys = await container.resolve(CONTENT_KEYS);
  const store = await container.resolve(STORE);
  const options: GatewayOptions = {
    store,
    routes: container.resolve(ACTIVE).current.built,
    config_digest: config.digest,
    clock: container.resolve(CLOCK),
    workers: container.resolve(GUARD_POOL),
    count_tokens: countTokens,
    logger: container.resolve(LOGGER),
    bytes: container.resolve(BYTES_IN_FLIGHT),
    observer: await container.resolve(OBSERVER),
    apply: [container.resolve(STORED_KEYS).apply, container.resolve(STORED_PASSKEYS).apply, container.resolve(RELOAD).apply],
    seals_inventory,
    plugins: usedPlugins(config, runs_db),
    accepts_clock,
    record_content: config.server.record_content,
    ledger: ledgerOptions(config, runs_db, outgoingFetch(container.resolve(LOGGER), config.directory), () => metrics.notSigned()),
    protocols: config.protocols.map(({ protocol }) => protocol),
    exporters: [...config.exporters.values()].map(({ name, instance, from }) => ({ name, exporter: instance, from })),
    retrieval:
      rag === null ? null : { nodes: rag.nodes, open: () => rag.open(ragFolders(runs_db)), rewrap: () => rag.rewrapKeys() },
    record_start: config.record_start,
    result_ttl_ms: config.result_ttl_ms,
    expire_after_ms: config.expire_after_ms,
    max_paused: config.max_paused,
    reuse_for_ms: config.reuse_for_ms,
    retention_ms: config.retention_ms,
    content_keys,
    approvers: approverRights(container),
  };
  return withKeysOf(content_keys, config.store, () => Gateway.open(options));
}

export async function makeRag(container: Container): Promise<Rag | null> {
  const config = container.resolve(CONFIG);
  if (config.rag === null) return null;
  const { embedder, vectors } = config.rag;
  return new Rag({
    embedder,
    vectors,
    keys: new NamespaceKeys(await container.resolve(STORE), await container.resolve(CONTENT_KEYS)),
    index_pipeline: () => container.resolve(ACTIVE).current.index_pipeline,
    clock: container.resolve(CLOCK),
    workers: container.resolve(GUARD_POOL),
    logger: container.resolve(LOGGER),
    observer: await container.resolve(OBSERVER),
  });
}

function ragFolders({ rag_folder }: RunsDb): RagFolders | null {
  return rag_folder === null ? null : { vectors: join(rag_folder, 'vectors'), embedder: join(rag_folder, 'embedder') };
}
