import type { SeenSegment } from '@svc/sdk/work';

/** Who may have written a text. */
export const SOURCES = ['user', 'tool', 'tool_calls', 'assistant', 'system', 'request'] as const;
export type Source = (typeof SOURCES)[number];

/** A role that nobody knows is taken for a user's. */
export function sourceOf({ role, path }: SeenSegment): Source {
  switch (role) {
    case null:
      return 'request';
    case 'system':
    case 'developer':
      return 'system';
    case 'tool':
    case 'function':
      return 'tool';
    case 'assistant':
      return /\.(?:tool_calls|function_call)(?:\.|$)/.test(path) ? 'tool_calls' : 'assistant';
    default:
      return 'user';
  }
}

/** Texts that are read as one: an order may be given in several parts of a message. */
export function readings<S extends SeenSegment>(segments: readonly S[]): readonly (readonly S[])[] {
  const groups = new Map<string, S[]>();
  for (const segment of segments) {
    const [message] = segment.kind === 'text' ? (/^messages\.\d+\.content(?=\.)/.exec(segment.path) ?? []) : [];
    const name = message ?? segment.path;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [segment]);
    else group.push(segment);
  }
  return [...groups.values()];
}
