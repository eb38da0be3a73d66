import type { SvcError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { BridgedProtocol, RequestBody } from './protocol.ts';

/** What a path of a door asks for. */
export interface DoorCall {
  /** `generate`: a whole answer; `stream`: its frames; `count`: the tokens of a request; `embed`: vectors of texts. */
  readonly operation: 'generate' | 'stream' | 'count' | 'embed';
  readonly route: string;
  /** How frames are sent: as server-sent events, or as the members of one JSON array. */
  readonly form: 'events' | 'list';
}

/** A request as its protocol has it. */
export interface ReceivedRequest {
  readonly request: RequestBody;
  /** What of it was taken out: paths of known names without indexes, such as `tools.googleSearch`. */
  readonly unsupported: readonly string[];
}

/** Texts that are to become vectors. */
export interface ReceivedTexts {
  readonly input: readonly string[];
  /** Length of the vectors; null: the model's own. */
  readonly dimensions: number | null;
  readonly unsupported: readonly string[];
}

/** How a protocol is served: its paths, keys and errors. Pure, as the protocol is. */
export interface Door {
  /** Beginnings of the paths, such as `/v1beta/models/`: a POST below one of them is this door's, unless the gateway has that path itself. */
  readonly prefixes: readonly string[];
  /** Where the key comes, beside `Authorization`: a header in lower case, and a parameter of the query (null: none). It is never logged. */
  readonly key: { readonly header: string; readonly query: string | null };
  /** @param path what follows one of the prefixes, decoded. @returns null where nothing is served */
  callOf(path: string, query: Readonly<Record<string, unknown>>): DoorCall | null;
  /**
   * A request of `generate`, `stream` or `count`.
   * @param body a JSON object of the caller's, to be kept as it is where nothing is taken out
   * @param passes whether the route lets a vendor's own tool pass, by its type, such as `google_search`
   * @throws {SvcError} SVC-REQ-001
   */
  readRequest(body: JsonObject, call: DoorCall, passes: (type: string) => boolean): ReceivedRequest;
  /** The answer to `count`. */
  tokenCount(tokens: number): object;
  /** @throws {SvcError} SVC-REQ-001 */
  readEmbedding(body: JsonObject): ReceivedTexts;
  /** The answer to `embed`. @param asked the body of the request */
  embeddings(vectors: readonly (readonly number[])[], asked: JsonObject): object;
  /** The body of a response that is an error, and of the last frame of an answer that failed. Only `message`, `status` and codes of the error may be in it. */
  errorBody(error: SvcError): JsonObject;
}

/** What a plugin of the kind `protocol` creates. `door` null: no caller speaks it, only upstreams do. */
export interface ProtocolPlugin {
  readonly protocol: BridgedProtocol;
  readonly door: Door | null;
}
