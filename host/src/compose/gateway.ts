import { join } from 'node:path';
import { Gateway } from '@svc/kernel';
import { buildIndexPipeline } from '../config/build-routes.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { contentKeys } from '../keys/content-key.ts';
import { Rag, type RagFolders } from '../retrieval/index.ts';
import { countTokens } from '../tokens/token-counter.ts';
import type { Container } from './container.ts';
import { ledgerOptions } from './ledger-options.ts';
import {
  BYTES_IN_FLIGHT,
  CLOCK,
  CONFIG,
  GUARD_POOL,
  LOGGER,
  OBSERVER,
  OPTIONS,
  RAG,
  ROUTES,
  STORE,
  STORED_KEYS,
} from './tokens.ts';

export async function openGateway(container: Container): Promise<Gateway> {
  const config = container.resolve(CONFIG);
  const { runs_db, seals_inventory, accepts_clock = false } = container.resolve(OPTIONS);
  const rag = await container.resolve(RAG);
  return Gateway.open({
    store: await container.resolve(STORE),
    routes: container.resolve(ROUTES),
    config_digest: config.digest,
    clock: container.resolve(CLOCK),
    workers: container.resolve(GUARD_POOL),
    count_tokens: countTokens,
    logger: container.resolve(LOGGER),
    bytes: container.resolve(BYTES_IN_FLIGHT),
    observer: await container.resolve(OBSERVER),
    apply: [container.resolve(STORED_KEYS).apply],
    seals_inventory,
    accepts_clock,
    record_content: config.server.record_content,
    ledger: ledgerOptions(config, runs_db),
    exporters: [...config.exporters.values()].map(({ name, instance, from }) => ({ name, exporter: instance, from })),
    retrieval: rag === null ? null : { nodes: rag.nodes, open: () => rag.open(ragFolders(runs_db)) },
    record_start: config.record_start,
    result_ttl_ms: config.result_ttl_ms,
    expire_after_ms: config.expire_after_ms,
    max_paused: config.max_paused,
    retention_ms: config.retention_ms,
    content_keys: await contentKeys(config.store, runs_db),
  });
}

export async function makeRag(container: Container): Promise<Rag | null> {
  const config = container.resolve(CONFIG);
  if (config.rag === null) return null;
  const { embedder, vectors } = config.rag;
  return new Rag({
    embedder,
    vectors,
    index_pipeline: buildIndexPipeline(config),
    clock: container.resolve(CLOCK),
    workers: container.resolve(GUARD_POOL),
    logger: container.resolve(LOGGER),
    observer: await container.resolve(OBSERVER),
  });
}

function ragFolders({ rag_folder }: RunsDb): RagFolders | null {
  return rag_folder === null ? null : { vectors: join(rag_folder, 'vectors'), embedder: join(rag_folder, 'embedder') };
}
