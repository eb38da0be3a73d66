import { pep440, VERSION } from '@svc/kernel/version';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { styled } from '../terminal/terminal.ts';
import { CONFIG_OPTION } from './arguments.ts';
import { quoted } from './quoted.ts';

/** What a started gateway shows to the person at the terminal. */
export interface Started {
  readonly url: string;
  /** Names of the routes, in the order of the file. */
  readonly routes: readonly string[];
  /** Where runs and evidence are stored. Null: in a folder that is deleted when the server stops. */
  readonly place: string | null;
}

/** What the person can do next. */
export interface Next {
  /** The key of a caller, for links that sign in. Null: none is known. */
  readonly key: string | null;
  /** The key of an approver. Null: none is known. */
  readonly approver_key: string | null;
  /** Files with these keys. */
  readonly key_files: readonly string[];
  /** How to give `svc chat` a key, before the command. Empty: no key is needed. */
  readonly chat_prefix: string;
  /** The configuration file. */
  readonly config: string;
}

const LABEL = 'Approvals'.length;
const MAX_ROUTES = 5;

/** The lines that `svc serve` and `svc start` show on a terminal when the gateway is ready. */
export function bannerLines(
  { url, routes, place }: Started,
  { key, approver_key, key_files, chat_prefix, config }: Next,
): string[] {
  const line = (label: string, text: string): string => `  ${bold(label.padEnd(LABEL))}  ${text}`;
  const more = routes.length - MAX_ROUTES;
  const server = url === SERVER_OPTION.default ? '' : ` --server ${url}`;
  const file = config === CONFIG_OPTION.default ? '' : ` --config ${quoted(config)}`;
  return [
    `${bold('svc')} ${pep440(VERSION)} is ready: ${styled('green', url, process.stderr)}`,
    '',
    line('Showcase', `${url}/showcase${signIn(key)}`),
    // Nobody may approve their own request. Without an approver's key, the only key is better than none.
    line('Approvals', `${url}/approvals${signIn(approver_key ?? key)}`),
    ...(key_files.length === 0 ? [] : [line('Keys', `${key_files.join(', ')} (the links above sign you in)`)]),
    line('Routes', [...routes.slice(0, MAX_ROUTES), ...(more > 0 ? [`${more} more`] : [])].join(', ')),
    line(
      'Runs',
      place ?? styled('yellow', 'in a temporary folder, deleted on exit (use --runs-db to keep them)', process.stderr),
    ),
    line('Try', `${chat_prefix}npx svc chat 'Hello'${server}   (in another terminal)`),
    line('Check', `npx svc doctor${file}`),
    '',
    styled('dim', 'Ctrl-C stops the gateway.', process.stderr),
  ];
}

function bold(text: string): string {
  return styled('bold', text, process.stderr);
}

/** The key is in the fragment, which browsers do not send. The page removes it from the address. */
function signIn(key: string | null): string {
  return key === null ? '' : `#key=${key}`;
}
