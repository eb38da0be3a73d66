import { isObject } from './json-shape.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';

type RagContext = Pick<LintContext, 'report' | 'packs' | 'routes' | 'nodes'>;

/** What does not fit between the section `rag` and the packs. */
export function lintRag(section: unknown, context: RagContext): void {
  lintIndexPipeline(section, context);
  if (section === undefined) lintReaders(context);
}

/** SVC-POL-002, SVC-POL-004: packs that are not there, or that cannot look at a document alone. */
function lintIndexPipeline(section: unknown, { report, packs, nodes }: RagContext): void {
  const names = isObject(section) && Array.isArray(section.index_pipeline) ? section.index_pipeline : [];
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string') continue;
    const path = ['rag', 'index_pipeline', index];
    if (!packs.names.includes(name)) {
      report.error('SVC-POL-002', path, `there is no pack ${name}`, { nearest: nearestName(name, packs.names) });
    }
    const guard = nodes.get(name)?.guard;
    if (guard === undefined) continue;
    const why = !guard.stages.includes('ingress')
      ? 'looks at answers only'
      : guard.both_stages === true
        ? 'works in both stages of a route'
        : guard.reads_namespace === undefined
          ? null
          : 'adds documents to requests';
    if (why !== null) report.error('SVC-POL-004', path, `${name} cannot look at documents: it ${why}`);
  }
}

/** SVC-POL-002: a pack that finds documents, where there are none to find. */
function lintReaders({ report, routes, nodes }: RagContext): void {
  for (const [name, route] of routes.mended) {
    for (const [index, pack] of route.pipeline.ingress.entries()) {
      if (nodes.get(pack)?.guard.reads_namespace === undefined) continue;
      const message = `${pack} looks for documents, and there is no section rag: add one`;
      report.error('SVC-POL-002', ['routes', name, 'pipeline', 'ingress', index], message);
    }
  }
}
