import { mayName } from '../config/index.ts';
import type { AssertStill } from '../http/assert-still.ts';
import { AtOnce, ERASURES_AT_ONCE } from '../http/at-once.ts';
import { auditEndpoints } from '../http/endpoints/audit.ts';
import { chatEndpoints } from '../http/endpoints/chat.ts';
import { type Configuration, configurationEndpoints } from '../http/endpoints/configuration.ts';
import { delegationEndpoints } from '../http/endpoints/delegations.ts';
import { embeddingsEndpoint } from '../http/endpoints/embeddings.ts';
import { exporterEndpoint } from '../http/endpoints/exporters.ts';
import { guardEndpoints } from '../http/endpoints/guard.ts';
import { healthEndpoints } from '../http/endpoints/health.ts';
import { keyEndpoints } from '../http/endpoints/keys.ts';
import { messagesEndpoints } from '../http/endpoints/messages.ts';
import { modelEndpoints } from '../http/endpoints/models.ts';
import { openApiEndpoint } from '../http/endpoints/openapi.ts';
import { operationsEndpoints } from '../http/endpoints/operations.ts';
import { pageEndpoints } from '../http/endpoints/pages.ts';
import { passkeyEndpoints } from '../http/endpoints/passkeys.ts';
import { pausedRunEndpoints } from '../http/endpoints/paused-runs.ts';
import { probeEndpoints } from '../http/endpoints/probes.ts';
import { proofEndpoints } from '../http/endpoints/proofs.ts';
import { protocolEndpoints } from '../http/endpoints/protocols.ts';
import { ragEndpoints } from '../http/endpoints/rag.ts';
import { responsesEndpoint } from '../http/endpoints/responses.ts';
import { runContentEndpoints } from '../http/endpoints/run-content.ts';
import { runEventsEndpoint } from '../http/endpoints/run-events.ts';
import { runEndpoints } from '../http/endpoints/runs.ts';
import { signInEndpoints } from '../http/endpoints/sign-in.ts';
import { stateEndpoints } from '../http/endpoints/states.ts';
import { storedResponseEndpoints } from '../http/endpoints/stored-responses.ts';
import { tileEndpoints } from '../http/endpoints/tiles.ts';
import { timestampEndpoint } from '../http/endpoints/timestamp.ts';
import { usageEndpoint } from '../http/endpoints/usage.ts';
import { witnessEndpoint } from '../http/endpoints/witnesses.ts';
import { groupsIn } from '../http/groups.ts';
import { KeyChanges } from '../http/key-changes.ts';
import { loadPages } from '../http/pages.ts';
import type { Passkeys } from '../http/passkeys.ts';
import { TokenQuestions } from '../http/token-questions.ts';
import type { Server } from '../http/typed-server.ts';
import { visitorsLog } from '../http/visitors-log.ts';
import { PagePasskeys } from '../passkeys/page-passkeys.ts';
import { UseCounters } from '../passkeys/use-counters.ts';
import { countTokens } from '../tokens/token-counter.ts';
import { canApprove } from './approvers.ts';
import type { Container } from './container.ts';
import { statefulTargets } from './stateful-targets.ts';
import {
  ACTIVE,
  CLOCK,
  CONFIG,
  CONTENT_KEYS,
  DRAINING,
  GATEWAY,
  ISSUERS,
  KEY_RING,
  KEY_USES,
  LOGGER,
  OPTIONS,
  RAG,
  RATE_LIMITS,
  RELOAD,
  RUN_STREAMS,
  STORE,
  STORED_KEYS,
  STORED_PASSKEYS,
} from './tokens.ts';
import { usedPlugins } from './used-plugins.ts';

/** Gives each endpoint the parts that it needs. @returns a function that adds the endpoints to a server */
export async function makeEndpoints(container: Container, assertStill: AssertStill): Promise<(app: Server) => void> {
  const { server, protocols, ledger } = container.resolve(CONFIG);
  const { metrics } = container.resolve(OPTIONS);
  const active = container.resolve(ACTIVE);
  const ring = container.resolve(KEY_RING);
  const gateway = await container.resolve(GATEWAY);
  const limits = container.resolve(RATE_LIMITS);
  const rag = await container.resolve(RAG);
  const keys = await managedKeys(container, assertStill);
  const pages = await loadPages();
  const passkeys = await passkeysOf(container, assertStill);
  const configuration = configurationOf(container);
  const isDraining = () => container.resolve(DRAINING).begun;
  const erasures = new AtOnce(ERASURES_AT_ONCE);
  const visitors = ledger.public_tiles ? visitorsLog(gateway.audit.ledger) : null;
  const started_at = Math.floor(container.resolve(CLOCK).now() / 1000);
  const door = { active, gateway, limits, keep_alive_ms: server.keep_alive_ms };
  const counting = { ...door, token_questions: new TokenQuestions(countTokens) };
  const mayApprove = canApprove(container);
  const streams = await container.resolve(RUN_STREAMS);
  const withGroups = groupsIn(() => active.current.config.groups);
  return (app) => {
    chatEndpoints(app, door);
    responsesEndpoint(app, door, server.record_content);
    embeddingsEndpoint(app, door);
    messagesEndpoints(app, counting);
    protocolEndpoints(app, counting, protocols);
    guardEndpoints(app, { active, gateway, limits }, protocols);
    modelEndpoints(app, { active, states: gateway.states, started_at });
    runEndpoints(app, { active, gateway, limits, canApprove: mayApprove, withGroups });
    runEventsEndpoint(app, {
      streams,
      stored: gateway.runs.stored,
      withGroups,
      assertStill,
      keep_alive_ms: server.keep_alive_ms,
    });
    pausedRunEndpoints(app, { active, gateway, withGroups, passkeys });
    passkeyEndpoints(app, passkeys);
    runContentEndpoints(app, { active, gateway, assertStill, erasures, withGroups });
    storedResponseEndpoints(app, { active, gateway, assertStill, erasures });
    auditEndpoints(app, gateway, withGroups);
    proofEndpoints(app, gateway.audit, visitors);
    timestampEndpoint(app, gateway.audit, visitors);
    tileEndpoints(app, gateway.audit, visitors);
    operationsEndpoints(app, gateway);
    ragEndpoints(app, { gateway, rag, assertStill, limits });
    stateEndpoints(app, { gateway, targets: () => statefulTargets(active, ring), assertStill });
    keyEndpoints(app, { active, gateway, keys });
    delegationEndpoints(app, { active, gateway, assertStill, canApprove: mayApprove, clock: container.resolve(CLOCK) });
    usageEndpoint(app, gateway, () => active.current.config.prices?.origin ?? null);
    healthEndpoints(app, { gateway, configuration, metrics, isDraining });
    probeEndpoints(app, { gateway, isDraining });
    configurationEndpoints(app, { configuration, assertStill });
    exporterEndpoint(app, gateway);
    witnessEndpoint(app, gateway);
    openApiEndpoint(app);
    pageEndpoints(app, pages);
    signInEndpoints(app, container.resolve(ISSUERS));
  };
}

async function managedKeys(container: Container, assertStill: AssertStill) {
  const active = container.resolve(ACTIVE);
  const ring = container.resolve(KEY_RING);
  const stored = container.resolve(STORED_KEYS);
  const store = await container.resolve(STORE);
  const changes = new KeyChanges({
    log: (await container.resolve(GATEWAY)).operations,
    keys: stored,
    clock: container.resolve(CLOCK),
    assertStill,
    principals: {
      keysOf: (principal_id) => ring.keysOf(principal_id),
      isOfIssuer: (principal_id) => mayName(active.current.config.issuers, principal_id),
      hasRuns: async (principal) => (await store.runs({ principal, limit: 1 })).rows.length > 0,
    },
  });
  return { stored, changes, uses: container.resolve(KEY_USES) };
}

async function passkeysOf(container: Container, assertStill: AssertStill): Promise<Passkeys> {
  const active = container.resolve(ACTIVE);
  return new PagePasskeys({
    settings: () => active.current.config.passkeys,
    stored: container.resolve(STORED_PASSKEYS),
    counters: new UseCounters(container.resolve(STORE)),
    log: (await container.resolve(GATEWAY)).operations,
    keys: await container.resolve(CONTENT_KEYS),
    clock: container.resolve(CLOCK),
    logger: container.resolve(LOGGER),
    assertStill,
  });
}

function configurationOf(container: Container): Configuration {
  const active = container.resolve(ACTIVE);
  const { runs_db } = container.resolve(OPTIONS);
  return {
    get digest() {
      return active.current.config.digest;
    },
    path: active.current.config.path,
    get since() {
      return active.since;
    },
    get limits() {
      return active.current.config.limits;
    },
    get plugins() {
      return usedPlugins(active.current.config, runs_db);
    },
    reload: (order) => container.resolve(RELOAD).order(order),
  };
}
