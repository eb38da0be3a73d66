/** Fields that are not written by a model, audio data, and thinking that came as text already. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'data',
  'thinking_blocks',
  'reasoning_details',
  'extra_content',
]);

/** Shows every text of a delta of the chat format, whatever its field is called: providers use different names for reasoning. */
export function forWrittenText(value: object, take: (text: string) => void): void {
  for (const field of Object.keys(value)) {
    if (NOT_WRITTEN.has(field)) continue;
    const member: unknown = Reflect.get(value, field);
    if (typeof member === 'string') take(member);
    else if (typeof member === 'object' && member !== null) forWrittenText(member, take);
  }
}
