import type { MadeCall, ProtocolTools } from '@svc/contracts';

/**
 * Reads the calls in a part of a streamed answer. The part's frames may contradict each other, and clients differ in which frames they use. So a
 * frame with another name or other arguments than the part counts as a separate call.
 * @param part the part as received
 * @returns the calls in their present form, because guards may have edited the part
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

/** Whether the arguments are still missing, as at the beginning of a call. */
function isEmpty(input: string): boolean {
  return input === '' || input === '{}';
}
