import { isObject } from '@svc/contracts';
import { Value } from 'typebox/value';
import { createPlugin, type PluginFactoryContext } from './create-plugin.ts';
import { RagSchema } from './rag-schema.ts';
import type { Secrets } from './resolve-secrets.ts';
import type { RagNode } from './resolved.ts';

/** The section `rag` with its plugins; null if there is none, or one could not be created (which is reported). */
export async function makeRag(section: unknown, making: PluginFactoryContext & { secrets: Secrets }): Promise<RagNode | null> {
  if (!isObject(section)) return null;
  const made = {
    vectors: isObject(section.vectors)
      ? await createPlugin('vectors', 'vectors', section.vectors, ['rag', 'vectors'], making)
      : null,
    embedder: isObject(section.embedder)
      ? await createPlugin('embedder', 'embedder', section.embedder, ['rag', 'embedder'], making)
      : null,
  };
  if (made.vectors === null || made.embedder === null || !Value.Check(RagSchema, section)) {
    await Promise.allSettled([made.vectors?.instance.close?.(), made.embedder?.instance.close?.()]);
    return null;
  }
  return { vectors: made.vectors.instance, embedder: made.embedder.instance, index_pipeline: section.index_pipeline };
}
