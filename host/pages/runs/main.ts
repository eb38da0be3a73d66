import { signIn } from '../shared/sign-in.ts';
import { showRuns } from './runs-page.ts';

void signIn(showRuns);
