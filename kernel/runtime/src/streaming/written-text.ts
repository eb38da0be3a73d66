/** Fields whose text is not counted: the model did not write it, it is audio, or it repeats thinking that was sent as text. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'data',
  'thinking_blocks',
  'reasoning_details',
  'extra_content',
]);

/** Visits every text of a delta in the chat format, whatever its field is called: providers use different names for reasoning. */
export function forWrittenText(value: object, take: (text: string) => void): void {
  for (const field of Object.keys(value)) {
    if (NOT_WRITTEN.has(field)) continue;
    const member: unknown = Reflect.get(value, field);
    if (typeof member === 'string') take(member);
    else if (typeof member === 'object' && member !== null) forWrittenText(member, take);
  }
}
