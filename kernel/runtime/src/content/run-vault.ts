import { type Clock, type ContentItem, isoTime, SvcError } from '@svc/contracts';
import type { LiveRun } from '@svc/kernel';
import type { OpenedPause, PausePoint, RunVault } from '@svc/kernel/ports';
import { CHAT, type Protocols } from '@svc/protocols';
import { historyOf, unchanged } from './history.ts';
import { keptContent } from './kept-content.ts';
import { newSalt, PAUSE_CONTENT, type PausedPayload, payloadDigest } from './paused-payload.ts';
import { hasReasons, reasonsUntil } from './reasons.ts';
import { decodeJson, encodeJson, keptUntil, REQUEST_CONTENT } from './run-content.ts';
import { type ContentVault, KEY_CONTENT } from './vault.ts';

/** How long content is kept, and the protocols that it may have. */
export interface VaultEnv {
  readonly content: ContentVault;
  readonly protocols: Protocols;
  readonly clock: Clock;
  readonly record_content: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  readonly retention_ms: number | null;
}

/** The content of runs, encrypted by a {@link ContentVault}. */
export function runVault(env: VaultEnv): RunVault {
  return {
    atEnd: (run) => {
      const hasMore = hasReasons(run.events);
      const kept = run.origin === 'unreadable' ? [] : keptContent(run, env);
      return {
        put_content: env.content.seal(run, kept, hasMore ? reasonsUntil(run.row, env) : 0),
        drop_content: run.mayHaveContent ? [PAUSE_CONTENT, REQUEST_CONTENT, ...(hasMore ? [] : [KEY_CONTENT])] : [],
      };
    },
    atPause: (run, point) => {
      const payload = payloadOf(run, point, newSalt(), env);
      const item = { name: PAUSE_CONTENT, bytes: encodeJson(payload), expires_at: null };
      const until = keptUntil(run.row, env.expire_after_ms, env) ?? 0;
      const { escalate, digest: route_digest } = run.route;
      // In canonical order, see evidenceOf.
      const event = {
        code: point.code,
        digest: payload.digest,
        ...(escalate === null
          ? {}
          : {
              escalation: {
                approvers: [...escalate.approvers],
                at: isoTime(Date.parse(payload.since) + escalate.after_ms),
              },
            }),
        route_digest,
      };
      return { event, expires_at: new Date(until).toISOString(), put_content: env.content.seal(run, [item]) };
    },
    openPause: async ({ run_id }) => {
      const found = await env.content.read(run_id, PAUSE_CONTENT);
      if (found === null) return null;
      const pause = openedPause(decodeJson<PausedPayload>(found.bytes), run_id, env);
      return { ...pause, size: found.bytes.length, run: { ...pause.run, contentKey: found.key } };
    },
  };
}

/**
 * The pause of a run after an approver has changed its request or answer, and the content that replaces the stored one. The new pause has its own
 * digest, and guards check it again.
 */
export function editedPause(
  run: LiveRun,
  { stage, node, index, code, endpoint, since, original, size }: OpenedPause,
  before: Pick<PausedPayload, 'request' | 'completion'>,
  salt: string,
  env: VaultEnv,
): { readonly pause: OpenedPause; readonly item: ContentItem } {
  const payload = {
    ...payloadOf(run, { stage, node, index, code, endpoint }, salt, env),
    since,
    original: { request: original?.request ?? before.request, completion: original?.completion ?? before.completion },
  };
  const item = { name: PAUSE_CONTENT, bytes: encodeJson(payload), expires_at: null };
  const pause = openedPause(payload, run.run_id, env);
  return { pause: { ...pause, size: Math.max(size, item.bytes.length) }, item };
}

function payloadOf(run: LiveRun, point: PausePoint, salt: string, { clock }: VaultEnv): PausedPayload {
  return {
    ...point,
    since: isoTime(clock.now()),
    salt,
    digest: payloadDigest(run, salt),
    route_digest: run.route.digest,
    protocol: run.protocol.id,
    request: run.request,
    completion: run.completion,
    states: Object.fromEntries(run.states),
    spend: run.spend,
    unbilled: run.cost === 'partial',
    affinity: run.affinity,
    keepRequest: run.keepRequest,
    conversation: run.conversation,
    continued: run.history && unchanged(run.history, run.protocol.turnsOf(run.request)),
  };
}

/** @throws {SvcError} SVC-RUN-003 if the run's protocol is not configured */
function openedPause(payload: PausedPayload, run_id: string, { protocols }: VaultEnv): Omit<OpenedPause, 'size'> {
  const { stage, node, index, code, endpoint, digest, since, salt, route_digest } = payload;
  const { protocol: id = CHAT.id, request, completion, continued = null, original } = payload;
  const protocol = protocols.get(id);
  if (protocol === undefined)
    throw new SvcError(
      'SVC-RUN-003',
      'the protocol plugin of this run is not configured; ask the operator to restore it under protocols and restart',
      { run_id },
    );
  return {
    stage,
    node,
    index,
    code,
    endpoint,
    digest,
    since,
    // After an edit, every node of the stage is asked again, as if the route had changed.
    route_digest: original === undefined ? route_digest : '',
    original,
    matches: (run) => payloadDigest(run, salt) === digest,
    run: {
      protocol,
      request,
      completion,
      states: new Map(Object.entries(payload.states)),
      spend: [...payload.spend],
      cost: payload.unbilled ? 'partial' : 'complete',
      // The caller received the pause as its answer, so the final answer is kept until the caller fetches it.
      keepAnswer: true,
      keepRequest: payload.keepRequest ?? false,
      affinity: payload.affinity ?? null,
      conversation: payload.conversation ?? null,
      history: continued && historyOf(continued, protocol.turnsOf(request)),
    },
  };
}
