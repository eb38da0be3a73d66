import type { MadeCall, OfferedTool, ToolName } from '@svc/sdk/guard';

/** A name with other characters may look like another name. */
const SAFE = /^[A-Za-z0-9_.:/-]{1,192}$/;

export function isSafe({ name }: ToolName): boolean {
  return SAFE.test(name);
}

/** Names that differ in case only are the same to some clients. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** Vendors' tools that run code by themselves. */
const RUNS_CODE: ReadonlySet<string> = new Set(['web_search', 'web_fetch']);

/** The offer that a call or a choice belongs to. Names must be equal in every character. */
export function offerOf({ kind, name }: ToolName, offered: readonly OfferedTool[]): OfferedTool | undefined {
  return offered.find((offer) => {
    switch (kind) {
      case 'vendor':
        return offer.kind === kind && (offer.name === name || (name === 'code_execution' && RUNS_CODE.has(offer.name)));
      case 'mcp':
        return offer.kind === kind && (offer.name === name || name.startsWith(`${offer.name}/`));
      default:
        // Callers run some vendors' tools, by a name of their own.
        return offer.called === name && (offer.kind === kind || (kind === 'function' && offer.kind === 'vendor'));
    }
  });
}

/** A call under the name that rules have for its tool. */
export function ruledCall(call: MadeCall, offer: OfferedTool | undefined): MadeCall {
  return offer?.kind === 'vendor' && call.kind === 'function' ? { ...call, kind: 'vendor', name: offer.name } : call;
}
