import { signIn } from '../shared/sign-in.ts';
import { showApprovals } from './run-list.ts';

void signIn(showApprovals);
