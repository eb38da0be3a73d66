import type { JsonObject } from './json.ts';
import type { AnswerBody, Protocol, RequestBody } from './protocol.ts';

/**
 * Who runs a tool: the caller runs a `function`, and a `custom` tool, which takes free text. The model's vendor runs its own `vendor` tools, and
 * calls the server of an `mcp` tool.
 */
export type ToolKind = 'function' | 'custom' | 'vendor' | 'mcp';

export interface ToolName {
  readonly kind: ToolKind;
  /**
   * A function or custom tool: its name, or `namespace__name` in a namespace. A vendor's tool: its type without the version, such as
   * `web_search`. An MCP server: its label; a call to one: `label/tool`. Empty if unreadable.
   */
  readonly name: string;
}

/** A tool that a request offers to the model. */
export interface OfferedTool extends ToolName {
  /** The name by which the model calls it. It differs from `name` for some vendors' tools. */
  readonly called: string;
  /** In the same form for every protocol: `kind`, `name`, `description`, `parameters` and other fields, without credentials. */
  readonly definition: JsonObject;
  /** Its path, such as `tools.0`. */
  readonly path: string;
}

/** A call that a model made. */
export interface MadeCall extends ToolName {
  /** JSON text; for a custom tool, its text. */
  readonly input: string;
  /** Its path, such as `choices.0.message.tool_calls.0`. */
  readonly path: string;
}

/** The result of a tool that the caller ran. */
export interface ToolResult {
  /** The calls that have this result's id. None: the request does not contain the call. Several: the id is ambiguous. */
  readonly calls: readonly MadeCall[];
  /** Its path, such as `messages.3`. */
  readonly path: string;
}

export interface RequestTools {
  readonly offered: readonly OfferedTool[];
  /** The tools that the request's tool choice names. */
  readonly chosen: readonly ToolName[];
  readonly results: readonly ToolResult[];
}

/** A part of a request to withhold from the model. An offered tool is removed; the content of a result is replaced by `text`. */
export interface Withheld {
  /** The path of an offered tool or of a result. */
  readonly path: string;
  /** Required for a result, absent for an offered tool. */
  readonly text?: string;
}

/** The tools in the bodies of a protocol. */
export interface ProtocolTools {
  inRequest(body: RequestBody): RequestTools;
  /**
   * The calls in an answer, a frame, or a part of an answer.
   * @param path path of the part; empty for an answer or a frame
   */
  calls(value: object, path: string): readonly MadeCall[];
  /** The tools that MCP servers listed in an answer, a frame, or a part of an answer. Absent: answers of this protocol list no tools. */
  listed?(value: object, path: string): readonly OfferedTool[];
  /** Changes the request. Every path is one of {@link inRequest}. If no tool remains, the tool choice is removed too. */
  withhold(body: RequestBody, withheld: readonly Withheld[]): void;
}

/** The tools of an answer. In a stream, those in the parts that `complete` was just called with. Empty in ingress. */
export interface AnswerTools {
  readonly calls: readonly MadeCall[];
  /** The tools that MCP servers listed. The vendor offers them to the model before the answer ends. */
  readonly listed: readonly OfferedTool[];
}

/** The tools of a run, as the nodes before this one left them. The request's tools are read once, at the first access. */
export interface RunTools extends RequestTools, AnswerTools {}

export const NO_ANSWER_TOOLS: AnswerTools = { calls: [], listed: [] };

/**
 * Null: the protocol does not describe its tools.
 * @param streamed returns the tools in the newest parts of a stream; absent: the tools of `answer` are used
 */
export function runTools(
  { tools }: Protocol,
  request: RequestBody,
  answer: AnswerBody | null | undefined,
  streamed?: () => AnswerTools,
): RunTools | null {
  if (tools === undefined) return null;
  let read: RequestTools | null = null;
  const inRequest = (): RequestTools => {
    read ??= tools.inRequest(request);
    return read;
  };
  return {
    get offered() {
      return inRequest().offered;
    },
    get chosen() {
      return inRequest().chosen;
    },
    get results() {
      return inRequest().results;
    },
    get calls() {
      if (streamed !== undefined) return streamed().calls;
      return answer == null ? [] : tools.calls(answer, '');
    },
    get listed() {
      if (streamed !== undefined) return streamed().listed;
      return answer == null ? [] : (tools.listed?.(answer, '') ?? []);
    },
  };
}

/** What a guard withholds. Null if an item is malformed, repeated or not part of the request. */
export function readWithheld(value: unknown, { offered, results }: RequestTools): readonly Withheld[] | null {
  if (!Array.isArray(value)) return null;
  const tools = new Set(offered.map(({ path }) => path));
  const answered = new Set(results.map(({ path }) => path));
  const read: Withheld[] = [];
  for (const part of [...value]) {
    const { path, text } = Object(part);
    if (typeof text === 'string' ? !answered.delete(path) || !text.isWellFormed() : text !== undefined || !tools.delete(path))
      return null;
    read.push(text === undefined ? { path } : { path, text });
  }
  return read;
}
