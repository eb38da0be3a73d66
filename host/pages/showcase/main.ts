import { signIn } from '../shared/sign-in.ts';
import { showShowcase } from './page.ts';

void signIn(showShowcase);
