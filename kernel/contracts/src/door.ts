import type { SvcError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { BridgedProtocol, RequestBody } from './protocol.ts';

/** The operation and route that a path of a door stands for. */
export interface DoorCall {
  /** `generate` returns a complete answer, `stream` its frames, `count` the number of tokens of a request, and `embed` the vectors of texts. */
  readonly operation: 'generate' | 'stream' | 'count' | 'embed';
  readonly route: string;
  /** How frames are sent: as server-sent events, or as the members of one JSON array. */
  readonly form: 'events' | 'list';
}

export interface ReceivedRequest {
  readonly request: RequestBody;
  /** The fields that were removed, as paths of known names without indexes, such as `tools.googleSearch`. */
  readonly unsupported: readonly string[];
}

export interface ReceivedTexts {
  readonly input: readonly string[];
  /** Length of the vectors. Null: the model's default. */
  readonly dimensions: number | null;
  readonly unsupported: readonly string[];
}

/** How a protocol is served: its paths, keys and errors. It must be pure, like the protocol. */
export interface Door {
  /** Path prefixes, such as `/v1beta/models/`. The door handles every POST below them, except paths that the gateway serves itself. */
  readonly prefixes: readonly string[];
  /**
   * Where the caller may put the key instead of in `Authorization`: in a header (in lower case) or a query parameter (null: none). The key is never
   * logged.
   */
  readonly key: { readonly header: string; readonly query: string | null };
  /** @param path the decoded path after the prefix @returns null if nothing is served there */
  callOf(path: string, query: Readonly<Record<string, unknown>>): DoorCall | null;
  /**
   * A request of `generate`, `stream` or `count`.
   * @param body the caller's JSON object; return it unchanged if nothing is removed
   * @param passes says whether the route allows this type of a vendor's own tools, such as `google_search`
   * @throws {SvcError} SVC-REQ-001
   */
  readRequest(body: JsonObject, call: DoorCall, passes: (type: string) => boolean): ReceivedRequest;
  /** The response to `count`. */
  tokenCount(tokens: number): object;
  /** @throws {SvcError} SVC-REQ-001 */
  readEmbedding(body: JsonObject): ReceivedTexts;
  /** The response to `embed`. @param requested the body of the request */
  embeddings(vectors: readonly (readonly number[])[], requested: JsonObject): object;
  /** The body of an error response, and of the last frame of a failed answer. It may contain only the error's `message`, `status` and codes. */
  errorBody(error: SvcError): JsonObject;
}

/** What a plugin of the kind `protocol` creates. If `door` is null, the protocol is used only towards upstreams, not by callers. */
export interface ProtocolPlugin {
  readonly protocol: BridgedProtocol;
  readonly door: Door | null;
}
