import type { Route } from '../shared/api-types.ts';

export interface Example {
  readonly label: string;
  readonly message: string;
}

/** Guards of the configuration that `svc init` writes; their rules `account`, `wire` and `password` meet the messages below. */
const STARTER_GUARDS = ['mask', 'policy'];

const EXAMPLES: readonly Example[] = [
  { label: 'Everyday question', message: 'How do I write a friendly reminder about an unpaid invoice?' },
  { label: 'Account number', message: 'What was the last payment on account 1234-5678-9012?' },
  { label: 'Wire transfer', message: 'Please prepare a wire transfer of 25,000 euros to Example Ltd.' },
  { label: 'Password', message: 'I cannot sign in. My password is correct-horse-battery.' },
];

/** Messages that show something on this route; none where it lacks the starter configuration's guards. */
export function examplesFor({ pipeline }: Route): readonly Example[] {
  const rules = pipeline.ingress.filter(({ type }) => type === 'rules').map(({ name }) => name);
  return STARTER_GUARDS.every((name) => rules.includes(name)) ? EXAMPLES : [];
}
