import type { MadeCall, OfferedTool, ToolName } from '@svc/sdk/guard';

/** A name with other characters may be mistaken for another name. */
const SAFE = /^[A-Za-z0-9_.:/-]{1,192}$/;

export function isSafe({ name }: ToolName): boolean {
  return SAFE.test(name);
}

/** Some clients treat names that differ only in case as the same. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** Vendors' tools that run code by themselves. */
const RUNS_CODE: ReadonlySet<string> = new Set(['web_search', 'web_fetch']);

/** The offer that a call or a choice belongs to. */
export type OfferOf = (tool: ToolName) => OfferedTool | undefined;

/** Finds offers in constant time, however many there are. Names must be equal in every character. */
export function offersIn(offered: readonly OfferedTool[]): OfferOf {
  const offers = new Map<string, OfferedTool>();
  for (const offer of offered) for (const key of keysOf(offer)) if (!offers.has(key)) offers.set(key, offer);
  return (tool) => {
    if (!isSafe(tool)) return undefined;
    const { kind, name } = tool;
    return offers.get(`${kind} ${name}`) ?? (kind === 'mcp' ? serverOf(name, offers) : undefined);
  };
}

/** The keys under which calls may refer to a tool. */
function keysOf({ kind, name, called }: OfferedTool): readonly string[] {
  if (kind === 'mcp') return [`mcp ${name}`];
  if (kind !== 'vendor') return [`${kind} ${called}`];
  // Some tools of vendors are run by the caller, and models call these as functions.
  return [`vendor ${name}`, `function ${called}`, ...(RUNS_CODE.has(name) ? ['vendor code_execution'] : [])];
}

/** The MCP server of a call. The call is named `label/tool`, and the label may also contain slashes. */
function serverOf(name: string, offers: ReadonlyMap<string, OfferedTool>): OfferedTool | undefined {
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
    const server = offers.get(`mcp ${name.slice(0, end)}`);
    if (server !== undefined) return server;
  }
  return undefined;
}

/** A call, under the name that rules use for its tool. */
export function ruledCall(call: MadeCall, offer: OfferedTool | undefined): MadeCall {
  return offer?.kind === 'vendor' && call.kind === 'function' ? { ...call, kind: 'vendor', name: offer.name } : call;
}
