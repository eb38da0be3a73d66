import type { MadeCall, ProtocolTools } from '@svc/contracts';

/**
 * The calls in a part of a streamed answer. Its frames may contradict each other, and clients differ in which they believe: a call of another
 * name or with other arguments is a call of its own.
 */
export function callsIn(tools: ProtocolTools, part: object, path: string, frames: readonly object[]): readonly MadeCall[] {
  const calls = [...tools.calls(part, path)];
  if (path === '') return calls;
  for (const frame of frames)
    for (const call of tools.calls(frame, '')) {
      const isKnown = calls.some(({ kind, name, input }) => {
        return kind === call.kind && name === call.name && (input === call.input || isEmpty(call.input));
      });
      if (!isKnown) calls.push({ ...call, path });
    }
  return calls;
}

/** Calls begin without their arguments. */
function isEmpty(input: string): boolean {
  return input === '' || input === '{}';
}
