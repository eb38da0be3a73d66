import type { Segment } from '@svc/contracts';
import { isCall, isInstruction, isToolRole } from './segment-kinds.ts';

/** Who may have written a text of a request. */
export const SOURCES = ['user', 'tool', 'tool_calls', 'assistant', 'system', 'request'] as const;
export type Source = (typeof SOURCES)[number];

/** An unknown role is treated as a user's. */
export function sourceOf(segment: Pick<Segment, 'path' | 'role' | 'is_thinking'>): Source {
  const { role } = segment;
  if (role === null) return 'request';
  if (isInstruction(role)) return 'system';
  if (isToolRole(role)) return 'tool';
  if (role !== 'assistant') return 'user';
  return isCall(segment) ? 'tool_calls' : 'assistant';
}
