import type { MadeCall, ProtocolTools } from '@svc/contracts';

/**
 * Reads the calls in a part of a streamed answer. Its frames may contradict each other, and clients differ in which they believe: a call of another
 * name or with other arguments than in the part is a call of its own.
 * @param part as received
 * @returns the calls as they are now: guards may have edited the part
 */
export function callsIn(tools: ProtocolTools, part: object, path: string, frames: readonly object[]): () => readonly MadeCall[] {
  if (path === '') return () => tools.calls(part, path);
  const received = tools.calls(part, path);
  const calls = [...received];
  for (const frame of frames)
    for (const call of tools.calls(frame, '')) {
      const isKnown = calls.some(({ kind, name, input }) => {
        return kind === call.kind && name === call.name && (input === call.input || isEmpty(call.input));
      });
      if (!isKnown) calls.push({ ...call, path });
    }
  const others = calls.slice(received.length);
  return () => [...tools.calls(part, path), ...others];
}

/** Calls begin without their arguments. */
function isEmpty(input: string): boolean {
  return input === '' || input === '{}';
}
