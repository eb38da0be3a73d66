import { errorName, type Logger } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import type { ProviderNode } from './providers-section.ts';
import type { ResolvedConfig } from './resolved.ts';

const INSTANCE_CLOSE_MS = 2_500;

type Instances = Pick<ResolvedConfig, 'providers' | 'packs' | 'rag' | 'backends'>;

/**
 * Closes guards, providers, the parts of retrieval and the backends of secrets. Errors are logged, and an instance that hangs is abandoned.
 * @param kept the instances of this configuration stay open
 */
export async function closeInstances(
  { providers, packs, rag, backends }: Instances,
  logger: Pick<Logger, 'warn'>,
  closing = new Closing(INSTANCE_CLOSE_MS),
  kept?: Instances,
): Promise<void> {
  const stay = kept === undefined ? [] : instancesOf(kept);
  const close = async (name: string, instance: { close?(): Promise<void> }): Promise<void> => {
    if (stay.includes(instance)) return;
    await closing.end(name, INSTANCE_CLOSE_MS, async () => {
      try {
        await instance.close?.();
      } catch (error) {
        logger.warn({ event: 'close_failed', part: name, reason: errorName(error) });
      }
    });
  };
  await Promise.all([
    ...[...packs.values()].map(({ name, guard }) => close(`guard ${name}`, guard)),
    ...[...providers.values()].map(({ name, instance }) => close(`provider ${name}`, instance)),
    ...(rag === null ? [] : [close('vectors', rag.vectors), close('embedder', rag.embedder)]),
    ...backends.map((backend) => close('secrets', backend)),
  ]);
}

/** As {@link closeInstances}, for a provider without a configuration. */
export function closeProvider(provider: ProviderNode, logger: Pick<Logger, 'warn'>): Promise<void> {
  return closeInstances({ providers: new Map([[provider.name, provider]]), packs: new Map(), rag: null, backends: [] }, logger);
}

function instancesOf({ providers, packs, rag }: Instances): object[] {
  const parts = rag === null ? [] : [rag.vectors, rag.embedder];
  return [...[...packs.values()].map(({ guard }) => guard), ...[...providers.values()].map(({ instance }) => instance), ...parts];
}
