import type { AnswerTools, MadeCall, OfferedTool, ProtocolTools } from '@svc/contracts';

/**
 * Reads the tools in a part of a streamed answer. The part's frames may contradict each other, and clients differ in which frames they use. So a
 * frame with another call or another definition than the part counts separately.
 * @param part the part as received
 * @returns the tools in their present form, because guards may have edited the part
 */
export function toolsIn(tools: ProtocolTools, part: object, path: string, frames: readonly object[]): () => AnswerTools {
  const now = (): AnswerTools => ({ calls: tools.calls(part, path), listed: tools.listed?.(part, path) ?? [] });
  if (path === '') return now;
  const received = now();
  const calls = [...received.calls];
  const listed = [...received.listed];
  const known = new Set(listed.map(keyOf));
  for (const frame of frames) {
    for (const call of tools.calls(frame, '')) if (!calls.some((each) => isSame(each, call))) calls.push({ ...call, path });
    for (const tool of tools.listed?.(frame, '') ?? []) {
      const key = keyOf(tool);
      if (!known.has(key)) listed.push({ ...tool, path });
      known.add(key);
    }
  }
  const others = { calls: calls.slice(received.calls.length), listed: listed.slice(received.listed.length) };
  return () => {
    const present = now();
    return { calls: [...present.calls, ...others.calls], listed: [...present.listed, ...others.listed] };
  };
}

/** The arguments of `call` may be missing, as at the beginning of a call. */
function isSame(known: MadeCall, call: MadeCall): boolean {
  const isEmpty = call.input === '' || call.input === '{}';
  return known.kind === call.kind && known.name === call.name && (isEmpty || known.input === call.input);
}

function keyOf({ name, definition }: OfferedTool): string {
  return `${name} ${JSON.stringify(definition)}`;
}
