import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type NewOperation, type ProtocolPlugin, type StatefulKind, type StateTarget, SvcError } from '@svc/contracts';
import type { BytesInFlight } from '@svc/kernel/admission';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { Gateway } from '@svc/runtime';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { ModelCapabilities } from '../prices/capabilities.ts';
import type { PriceOrigin } from '../prices/price-book.ts';
import type { Rag } from '../retrieval/index.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import type { AssertStill } from './assert-still.ts';
import type { KeyChanges } from './key-changes.ts';
import type { KeyUses } from './key-uses.ts';
import type { Page } from './pages.ts';
import type { ReloadResult, RouteView } from './schemas.ts';
import type { SignIn } from './sign-in.ts';
import type { StoredKeys } from './stored-keys.ts';
import type { TokenQuestions } from './token-questions.ts';

/** Fastify with request types read from TypeBox schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A configured route: what readers are told of it, and what the kernel runs. */
export interface ServedRoute {
  readonly attributes: RouteView;
  /** Of the model that is asked for, where the name is a pattern. */
  readonly capabilities: (model: string) => ModelCapabilities;
  readonly runtime: RuntimeRoute;
}

/** What operators may put out of use, and by which rules. */
export interface StatefulTargets {
  /** Of those that can be listed. */
  readonly names: (kind: StatefulKind) => readonly string[];
  /** Whether there is or was such a thing, or could be: principals that an issuer names cannot be listed. */
  readonly isKnown: (kind: StatefulKind, name: string) => boolean;
  /** Guards that cannot be disabled. */
  readonly required_packs: ReadonlySet<string>;
  /** Whether what lets more pass takes two operators. */
  readonly two_person: boolean;
  /** Whether a principal has a key, or could have a token, that may change states. */
  readonly isOperator: (principal_id: string | null, target: StateTarget) => boolean;
}

/** The configuration in force. */
export interface Configuration {
  readonly digest: string;
  /** Absolute. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Reads the file again and puts it into force. @throws {ConfigurationRefused} SVC-CONF-002, SVC-STORE-001 */
  readonly reload: (order: ReloadOrder) => Promise<ReloadResult>;
}

/** An order to read the configuration file again. */
export interface ReloadOrder {
  readonly actor: NewOperation['actor'];
  /** Throws or rejects where whoever ordered it may not do so any more. */
  readonly assertStill: () => unknown;
  readonly reason: string | null;
  /** Reads, checks and compares only. */
  readonly dry_run: boolean;
}

/** What the endpoints are built on. */
export interface Surface {
  readonly gateway: Gateway;
  /** Null where RAG is not configured. */
  readonly rag: Rag | null;
  readonly routes: ReadonlyMap<string, ServedRoute>;
  /** Whether a principal has a key, or could have a token, that may decide on runs of a route; without authentication nobody is known, and all may. */
  readonly canApprove: (principal_id: string, route: string) => boolean;
  readonly configuration: Configuration;
  readonly assertStill: AssertStill;
  /** Of run time. */
  readonly keys: { readonly stored: StoredKeys; readonly changes: KeyChanges; readonly uses: KeyUses };
  readonly limits: RateLimits;
  /** Seconds since the epoch. */
  readonly started_at: number;
  /** So long a stream may be silent before something is sent that keeps it alive. */
  readonly keep_alive_ms: number;
  /** Whether messages and answers of ended runs are stored, so that they can be continued. */
  readonly record_content: boolean;
  readonly metrics: Metrics;
  readonly token_questions: TokenQuestions;
  readonly bytes: BytesInFlight;
  /** Whether it is told to stop, and new connections are to go elsewhere. */
  readonly isDraining: () => boolean;
  /** Whether it takes no new requests but probes any more. */
  readonly isRefusing: () => boolean;
  /** Beside those that have endpoints of their own. */
  readonly protocols: readonly ProtocolPlugin[];
  /** The catalogue of prices; null: none. */
  readonly price_origin: PriceOrigin | null;
  readonly stateful: StatefulTargets;
  /** Null: the pages take keys only. */
  readonly sign_in: SignIn | null;
  readonly pages: { readonly approvals: Page; readonly showcase: Page };
}

/** What a caller may name: a route, or a model whose name goes to the vendor as it is. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,255}$/;

/** The route of this name, else the one with the longest beginning of it. @throws {SvcError} SVC-ROUTE-001 */
export function findRoute({ routes }: Pick<Surface, 'routes'>, name: string): ServedRoute {
  const route = routes.get(name) ?? routes.get(patternFor(routes, name) ?? '');
  if (route === undefined)
    throw new SvcError('SVC-ROUTE-001', 'unknown route; GET /v1/models lists the available ones', { param: 'model' });
  return route;
}

/** The same for a call, which needs the name of a model where the route has a pattern. @throws {SvcError} SVC-ROUTE-001 */
export function findRouteToCall(surface: Pick<Surface, 'routes'>, name: string): ServedRoute {
  if (!name.endsWith('*')) return findRoute(surface, name);
  throw new SvcError('SVC-ROUTE-001', 'name a model in place of *', { param: 'model' });
}

/** In some APIs the model stands in the path. */
function leadsElsewhere(part: string): boolean {
  return part === '' || part === '.' || part === '..';
}

function patternFor(routes: Surface['routes'], name: string): string | undefined {
  if (!MODEL.test(name) || name.split('/').some(leadsElsewhere)) return undefined;
  const patterns = [...routes.keys()].filter((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1)));
  return patterns.sort((one, other) => other.length - one.length)[0];
}
