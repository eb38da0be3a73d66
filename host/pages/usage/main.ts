import { signIn } from '../shared/sign-in.ts';
import { showUsage } from './usage-page.ts';

void signIn(showUsage);
