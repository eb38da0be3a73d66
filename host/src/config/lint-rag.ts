import type { Embedder } from '@svc/contracts';
import type { Path } from './diagnostic.ts';
import { isObject } from './json-shape.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import type { Route } from './schema.ts';

interface RagContext extends Pick<LintContext, 'report' | 'packs' | 'routes' | 'nodes'> {
  /** Null where there is none, or it could not be made. */
  readonly embedder: Embedder | null;
}

/** What does not fit between the section `rag` and the packs. */
export function lintRag(section: unknown, context: RagContext): void {
  lintIndexPipeline(section, context);
  for (const reader of readersIn(context)) {
    if (section === undefined) lintReader(reader, context);
    else lintEmbedder(section, reader, context);
  }
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

/** A pack that finds documents, where a route names it. */
interface Reader {
  readonly pack: string;
  readonly route: Route;
  readonly path: Path;
}

function readersIn({ routes, nodes }: RagContext): Reader[] {
  return [...routes.mended].flatMap(([name, route]) =>
    route.pipeline.ingress.flatMap((pack, index) =>
      nodes.get(pack)?.guard.reads_namespace === undefined
        ? []
        : [{ pack, route, path: ['routes', name, 'pipeline', 'ingress', index] }],
    ),
  );
}

/** SVC-POL-002: there are no documents to find. */
function lintReader({ pack, path }: Reader, { report }: RagContext): void {
  report.error('SVC-POL-002', path, `${pack} looks for documents, and there is no section rag: add one`);
}

/**
 * SVC-POL-005: the embedder is sent what callers of the route ask, and is in a region that the route's `residency`, or a guard of it, does not
 * allow. An error in any case: guards are asked about providers only, so nothing decides at run time.
 */
function lintEmbedder(section: unknown, { pack, route, path }: Reader, { report, nodes, embedder }: RagContext): void {
  const written = isObject(section) && isObject(section.embedder) ? section.embedder : {};
  // Where it could not be made, its type tells.
  if (embedder === null ? written.type === 'local' : embedder.in_process === true) return;
  const region = typeof written.region === 'string' ? written.region : null;
  const limits = [
    ...(route.residency === undefined ? [] : [{ of: 'the route', regions: route.residency }]),
    ...route.pipeline.ingress.flatMap((name) => {
      const node = nodes.get(name);
      const regions = node?.mode === 'enforce' ? node.guard.allowed_regions : undefined;
      return regions === undefined ? [] : [{ of: name, regions }];
    }),
  ];
  const broken = limits.find(({ regions }) => region === null || !regions.includes(region));
  if (broken === undefined) return;
  const where = region === null ? 'declares no region' : `is in ${region}`;
  const message = `${pack} sends what is asked to rag.embedder, which ${where}; the residency of ${broken.of} is ${broken.regions.join(', ')}`;
  report.error('SVC-POL-005', path, message);
}
