import { signIn } from '../shared/sign-in.ts';
import { showPasskeys } from './passkey-panel.ts';
import { showApprovals } from './run-list.ts';

void signIn((session) => {
  showApprovals(session);
  void showPasskeys(session.api);
});
