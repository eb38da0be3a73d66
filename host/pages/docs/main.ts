import { signIn } from '../shared/sign-in.ts';
import { showReference } from './reference.ts';

void signIn(showReference);
