import { signIn } from '../shared/sign-in.ts';

void signIn(() => undefined);
