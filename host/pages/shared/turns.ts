/** A message or an input item, in any protocol. */
export type Turn = Readonly<Record<string, unknown>>;

/** The speaker of a turn; for an item without a speaker, its type. */
export function speakerOf({ role, type }: Turn): string {
  return typeof role === 'string' ? role : typeof type === 'string' ? type : 'item';
}

/** The turns of an answer: the choices of a chat, or the message or items of other protocols. */
export function turnsOf(answer: Turn | null): readonly Turn[] {
  if (answer === null) return [];
  const { choices, output } = answer;
  if (Array.isArray(choices))
    return choices.flatMap((choice: unknown) => (isTurn(choice) && isTurn(choice.message) ? [choice.message] : []));
  if (Array.isArray(output)) return output.filter(isTurn);
  return [answer];
}

function isTurn(value: unknown): value is Turn {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
