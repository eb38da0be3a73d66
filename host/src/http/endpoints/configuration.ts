import { SvcError } from '@svc/contracts';
import { actorOf } from '../actor.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole } from '../auth.ts';
import { isLimited } from '../key-ring.ts';
import { mayHaveNoBody } from '../no-body.ts';
import { reasonOf } from '../reason.ts';
import { ConfigurationStatus, ErrorBody, ReloadOrder, ReloadResult, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

export function configurationEndpoints(app: Server, { configuration, assertStill }: Surface): void {
  app.get(
    '/v1/operations/configuration',
    {
      schema: {
        operationId: 'getConfiguration',
        tags: ['operations'],
        summary: 'Tell which configuration is in force',
        description: 'In the process that answers; others follow within seconds.',
        response: { 200: ref(ConfigurationStatus) },
      },
    },
    async (request) => {
      requireRole(request, 'admin', 'audit');
      const { digest, path, since } = configuration;
      return { active_digest: digest, since: new Date(since).toISOString(), config_path: path };
    },
  );

  app.post(
    '/v1/operations/configuration',
    {
      config: { metered: true, alwaysAdmitted: true },
      bodyLimit: SMALL_BODY_BYTES,
      preValidation: mayHaveNoBody,
      schema: {
        operationId: 'applyConfiguration',
        tags: ['operations'],
        summary: 'Read the configuration file again and put it into force',
        description:
          'For keys with the role `admin` that are limited neither to routes nor to namespaces. Runs under way end on what they began with. A file with errors, or with changes that take a restart, changes nothing and is 422 with what `svc lint` says.',
        body: ref(ReloadOrder),
        response: { 200: ref(ReloadResult), 409: ref(ErrorBody), 422: ref(ErrorBody) },
      },
    },
    async (request) => {
      const principal = requireRole(request, 'admin');
      if (isLimited(principal))
        throw new SvcError(
          'SVC-AUTH-002',
          'the configuration concerns all routes and namespaces, but this key is limited to some',
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
