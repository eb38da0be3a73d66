import { type Embedder, isObject } from '@svc/contracts';
import { askGuard, askGuards } from './ask-guard.ts';
import type { Path } from './diagnostic.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import type { PackNode } from './packs-section.ts';
import type { Route } from './routes-section.ts';

/** Mismatches between the section `rag` and the packs. */
export function lintRag(section: unknown, context: LintContext): void {
  lintIndexPipeline(section, context);
  const bound = boundNamespaces(section, context);
  for (const reader of readersIn(context)) {
    if (section === undefined) lintReader(reader, context);
    else lintEmbedder(reader, context);
    lintNamespaces(reader, bound, context);
  }
}

/** @param embedder null if there is none or it could not be created; its type then decides whether texts leave the gateway */
export function embedderOutside(section: unknown, embedder: Embedder | null): LintContext['embedder'] {
  if (section === undefined) return null;
  const written = isObject(section) && isObject(section.embedder) ? section.embedder : {};
  if (embedder === null ? written.type === 'local' : embedder.in_process === true) return null;
  return { region: typeof written.region === 'string' ? written.region : null };
}

/** SVC-POL-002, SVC-POL-004: packs that do not exist, or cannot check a single document. */
function lintIndexPipeline(section: unknown, { report, packs, nodes }: LintContext): void {
  const names = isObject(section) && Array.isArray(section.index_pipeline) ? section.index_pipeline : [];
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string') continue;
    const path = ['rag', 'index_pipeline', index];
    if (!packs.names.includes(name)) {
      report.error('SVC-POL-002', path, `unknown pack ${name}`, { nearest: nearestName(name, packs.names) });
    }
    const node = nodes.get(name);
    const why = node === undefined ? null : whyNotDocuments(node);
    if (why !== null) report.error('SVC-POL-004', path, `${name} cannot check documents: ${why}`);
  }
}

function whyNotDocuments({ guard, namespaces }: PackNode): string | null {
  if (!guard.stages.includes('ingress')) return 'it checks only answers';
  if (namespaces.length > 0) return 'it adds documents to requests';
  const { diagnostics, failed } = askGuard(guard, { stages: ['ingress'], endpoints: [], embedder: null });
  return diagnostics[0]?.message ?? failed;
}

/** The routes of each reserved namespace. SVC-POL-002: one of the routes does not exist. */
function boundNamespaces(section: unknown, { report, routes }: LintContext): ReadonlyMap<string, readonly unknown[]> {
  const bound = new Map<string, readonly unknown[]>();
  const written = isObject(section) && isObject(section.namespaces) ? Object.entries(section.namespaces) : [];
  for (const [namespace, entry] of written) {
    const names: readonly unknown[] = isObject(entry) && Array.isArray(entry.routes) ? entry.routes : [];
    bound.set(namespace, names);
    for (const [index, name] of names.entries()) {
      if (typeof name !== 'string' || routes.names.includes(name)) continue;
      const path = ['rag', 'namespaces', namespace, 'routes', index];
      report.error('SVC-POL-002', path, `unknown route ${name}`, { nearest: nearestName(name, routes.names) });
    }
  }
  return bound;
}

/** SVC-POL-011: a pack retrieves from a namespace reserved for other routes. Everyone who may use a route gets what its guards retrieve. */
function lintNamespaces(
  { pack, name, path }: Reader,
  bound: ReadonlyMap<string, readonly unknown[]>,
  { report, nodes }: LintContext,
): void {
  for (const namespace of nodes.get(pack)?.namespaces ?? []) {
    if (bound.get(namespace)?.includes(name) === false)
      report.error(
        'SVC-POL-011',
        path,
        `${pack} retrieves from ${namespace}, but rag.namespaces does not list this route for it`,
      );
  }
}

/** A pack that retrieves documents, and where a route refers to it. */
interface Reader {
  readonly pack: string;
  /** The residency of the route. */
  readonly name: string;
  readonly route: Route;
  readonly path: Path;
}

function readersIn({ routes, nodes }: LintContext): Reader[] {
  return [...routes.repaired].flatMap(([name, route]) =>
    route.pipeline.ingress.flatMap((pack, index) =>
      nodes.get(pack)?.namespaces.length ? [{ pack, name, route, path: ['routes', name, 'pipeline', 'ingress', index] }] : [],
    ),
  );
}

/** SVC-POL-002: there is no section `rag` to retrieve from. */
function lintReader({ pack, path }: Reader, { report }: LintContext): void {
  report.error('SVC-POL-002', path, `${pack} retrieves documents, but the configuration has no section rag: add it`);
}

/**
 * SVC-POL-005: the embedder receives callers' questions, and is in a region that the route's `residency` or one of its guards does not allow. Always
 * an error: guards are asked only about providers, so nothing decides at run time.
 */
function lintEmbedder({ pack, route, path }: Reader, context: LintContext): void {
  const { report, nodes, embedder } = context;
  if (embedder === null) return;
  const { region } = embedder;
  const refused = [...askGuards('', route, context)].flatMap(([name, { diagnostics }]) =>
    nodes.get(name)?.mode === 'enforce' && route.pipeline.ingress.includes(name)
      ? diagnostics.flatMap((one) => (one.code === 'SVC-POL-005' && one.endpoint === 'embedder' ? `${name}: ${one.message}` : []))
      : [],
  );
  const { residency } = route;
  const isDeclaredElsewhere = residency !== undefined && (region === null || !residency.includes(region));
  const because = isDeclaredElsewhere ? `the route's residency is ${residency.join(', ')}` : refused[0];
  if (because === undefined) return;
  const where = region === null ? 'declares no region' : `is in ${region}`;
  report.error('SVC-POL-005', path, `${pack} sends questions to rag.embedder, which ${where}; ${because}`);
}
