/** A message or an item of an input, in whatever protocol. */
export type Turn = Readonly<Record<string, unknown>>;

/** Who speaks in a turn; of an item that nobody speaks, what it is. */
export function speakerOf({ role, type }: Turn): string {
  return typeof role === 'string' ? role : typeof type === 'string' ? type : 'item';
}

/** The turns of an answer: of chats each choice, of other protocols the message or the items. */
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
