import { signIn } from '../shared/sign-in.ts';
import { showAdmin } from './admin-page.ts';

void signIn(showAdmin);
