import { type NewOperation, SvcError } from '@svc/contracts';
import type { UsedPlugin } from '@svc/runtime';
import type { RateLimit } from '../../limits/rate-limits.ts';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import type { AssertStill } from '../assert-still.ts';
import { requireRole } from '../auth.ts';
import { config_digest, config_path, created_at, json, route } from '../description/samples.ts';
import { isLimited } from '../key-ring.ts';
import { mayHaveNoBody } from '../no-body.ts';
import { reasonOf } from '../reason.ts';
import { ConfigurationStatus, ReloadOrder as OrderBody, ReloadResult, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

/** The active configuration. */
export interface Configuration {
  readonly digest: string;
  /** Absolute path. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly limits: readonly RateLimit[];
  readonly plugins: readonly UsedPlugin[];
  /** Reads the file again and applies it. @throws {ConfigurationRefused} SVC-CONF-002, SVC-STORE-001 */
  readonly reload: (order: ReloadOrder) => Promise<ReloadResult>;
}

/** A request to reload the configuration file. */
export interface ReloadOrder {
  readonly actor: NewOperation['actor'];
  /** Throws or rejects if the actor has lost the right to give this order. */
  readonly assertStill: () => unknown;
  readonly reason: string | null;
  /** Whether to only read, check and compare. */
  readonly dry_run: boolean;
}

interface Parts {
  readonly configuration: Configuration;
  readonly assertStill: AssertStill;
}

const limit = { subject: 'team', name: 'payments', requests_per_minute: 600, tokens_per_minute: null, concurrent: 20 };
const plugin = { package: '@svc/guard-pii', version: '2.0.0', pin: null };

export function configurationEndpoints(app: Server, { configuration, assertStill }: Parts): void {
  app.get(
    '/v1/operations/configuration',
    {
      config: {
        roles: ['admin', 'audit'],
        example: {
          response: json({ active_digest: config_digest, since: created_at, config_path, limits: [limit], plugins: [plugin] }),
        },
      },
      schema: {
        operationId: 'getConfiguration',
        tags: ['operations'],
        summary: 'Get the active configuration',
        description: 'The configuration of the responding process. Other processes apply a change within seconds.',
        response: { 200: ref(ConfigurationStatus) },
      },
    },
    async (request) => {
      requireRole(request);
      const { digest, path, since, limits, plugins } = configuration;
      return {
        active_digest: digest,
        since: new Date(since).toISOString(),
        config_path: path,
        limits: [...limits],
        plugins: plugins.map(({ pin = null, ...used }) => ({ ...used, pin })),
      };
    },
  );

  app.post(
    '/v1/operations/configuration',
    {
      config: {
        roles: ['admin'],
        metered: true,
        alwaysAdmitted: true,
        errors: ['SVC-CONF-001', 'SVC-CONF-002', 'SVC-BUSY-001', 'SVC-STORE-001'],
        example: {
          request: { reason: 'a new route' },
          response: json({
            active_digest: config_digest,
            previous_digest: `sha256:${'0'.repeat(64)}`,
            file_digest: config_digest,
            changes: [{ section: 'routes', name: route, change: 'added' }],
            warnings: [],
          }),
        },
      },
      bodyLimit: SMALL_BODY_BYTES,
      preValidation: mayHaveNoBody,
      schema: {
        operationId: 'applyConfiguration',
        tags: ['operations'],
        summary: 'Reload the configuration file',
        description:
          'For keys with the role `admin` that are not limited to routes or namespaces. Runs in progress finish with the configuration that they started with. If the file has errors, or changes that need a restart, nothing changes and the response is 422 with the diagnostics of `svc lint`.',
        body: ref(OrderBody),
        response: { 200: ref(ReloadResult) },
      },
    },
    async (request) => {
      const principal = requireRole(request);
      if (isLimited(principal))
        throw new SvcError(
          'SVC-AUTH-002',
          'this key is limited to some routes or namespaces, but the configuration covers all of them; use a key without limits',
        );
      const { dry_run = false, reason } = request.body;
      return configuration.reload({
        actor: actorOf(principal),
        assertStill: () => assertStill(principal),
        reason: reasonOf(reason),
        dry_run,
      });
    },
  );
}
