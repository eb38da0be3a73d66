import { CODE_WORDS } from './code-words.generated.ts';
import { ENGLISH, FIRST_NAME, LAST_NAME, type WordLists } from './lists.ts';
import { hashOf } from './words.ts';

/** Languages, shells, programs, formats and services that are named in texts about code and are not names of people. */
const PRODUCTS = `
  angular ansible anthropic apache astro aws azure babel bash bazel bitbucket browserslist chromium clojure cmake cobol codex conda cuda cypress
  datadog debian deno docker dotnet drupal ecmascript elasticsearch electron elixir ember erlang esbuild eslint excel express fastapi fedora figma
  firebase firefox flask flutter fortran gatsby gcc gerrit git github gitlab golang gradle grafana graphql groovy grunt gulp hadoop heroku homebrew html
  http java javascript jekyll jira json jupyter keras kibana kotlin kubernetes langchain laravel latex linux llvm macos makefile markdown matlab maven
  mercurial mocha mongodb mysql neovim netlify nginx nodejs npm numpy nuxt ocaml okta openapi opentelemetry pandas php pip playwright pnpm podman
  postgres postgresql powershell prettier prisma prometheus puppeteer pydantic pypi pytest python pytorch rabbitmq rails react redis redux remix rolldown
  rollup rustc safari sass scikit selenium sentry slack solr sqlite storybook stylelint supabase svelte tailwind tensorflow terraform toml typescript
  airflow autoconf automake bigquery celery clang clickhouse cloudfront cloudwatch codecov couchbase cpython cython dask databricks darwin dgraph dynamodb
  envoy etcd freebsd gdb grpc gunicorn haproxy huggingface istio jinja kibana kinesis lambda libvirt linkerd lldb mariadb memcached meson minikube mlflow
  mypy netbsd numba openbsd openssl prefect protobuf pylint qemu redshift scrapy snowflake sphinx starlette strace traefik uvicorn valgrind zenodo
  ubuntu undici unix vagrant vercel vite vitest vscode vue wasm webassembly webpack windows wordpress xcode xml yaml yarn zod zsh`;
/** As {@link PRODUCTS}, but also used as names of people. */
const NAMESAKES = `ada claude dart django eclipse elm haskell helm jenkins jest kafka lua oracle perl ruby scala spark stripe swift travis vim`;

/** Words of programming languages, their libraries and shells. */
const KEYWORDS = `
  addon subagent subprocess middleware lexer tokenize jsdoc readme
  abs addr alias argv arr assert async attr autorelease await awk bool boolean bytes calloc cat cdr chan char chdir chmod chown cls cmd cond const
  constexpr coroutine cron ctx cur curl dataclass decl def defer del delim dev dict diff dir dirname divmod dtype dyn echo elem elif else elsif endif enum
  env errno eval exec extern fallthrough fgrep fmt foo foobar frozenset func getattr getopt glob goto grep gzip hasattr hashmap hex href idx impl
  init inline instanceof int iota isinstance iter iterable keyof kwargs lambda len lhs libc localhost lstrip malloc mkdir mktemp mut mutex namespace nan
  nargs ndarray nil noop nohup npx null num obj param params perl pid popd prev printf proc ptr pushd qux quux readonly realloc recv ref regex regexp ret rhs rmdir
  rsync rtrim sed seq setattr setenv shutil sizeof src ssh stderr stdin stdout str strcmp strlen struct subok sudo sum superclass svg symlink
  sys tar tmp touch traceback tty tuple typedef typeof typename udev uint umask uniq unset utf vararg varchar vec virtualenv wget whoami xargs yml zip
  bar baz todo fixme nginx repl tui gui cli ide pr prs sdk api url uri ui ux os ip id ids ok vm vms ci cd qa mcp llm llms rpc sso cors csrf xss dns tcp udp
  ssl tls cpu gpu ram ssd csv pdf ascii unicode jwt oauth oidc saml iana ietf rfc`;

const words = (list: string): string[] => list.trim().split(/\s+/);
const UNBORNE: ReadonlySet<string> = new Set(words(PRODUCTS));
const TERMS: ReadonlySet<string> = new Set([PRODUCTS, NAMESAKES, KEYWORDS, CODE_WORDS].flatMap(words));

/** Prefixes and suffixes of terms: `serializes`, `pre-release`, `deserialized`. */
const ENDINGS = ['s', 'es', 'd', 'ed', 'er', 'ers', 'or', 'ors', 'ing', 'able', 'ables', 'ly'];
const BEGINNINGS = ['de', 're', 'un', 'non', 'pre', 'sub', 'multi', 'auto', 'co', 'micro', 'meta', 'super', 'over', 'dis'];
/** Minimum number of letters in a word without its affixes. */
const MIN_STEM = 4;

/** Whether a lower-case word is used in programs or in texts about them: `metadata`, `bash`, `len`. The word may be a name as well. */
export function isTerm(word: string): boolean {
  return TERMS.has(word);
}

/** Whether a lower-case word is a term or formed from terms, and is in no list of names. The other side of a hyphen may be any English word. */
export function isPlainTerm(word: string, lists: WordLists): boolean {
  const parts = word.split('-');
  return parts.every((part) => isPlain(part, lists, parts.length > 1));
}

function isPlain(word: string, lists: WordLists, english: boolean): boolean {
  if (UNBORNE.has(word)) return true;
  const known = lists.of(hashOf(word));
  if ((known & (FIRST_NAME | LAST_NAME)) !== 0) return false;
  if (english && ((known & ENGLISH) !== 0 || BEGINNINGS.includes(word))) return true;
  const stems = BEGINNINGS.flatMap((beginning) => (word.startsWith(beginning) ? [word.slice(beginning.length)] : []));
  return TERMS.has(word) || [word, ...stems].some((stem) => stem.length >= MIN_STEM && (TERMS.has(stem) || isFormed(stem)));
}

function isFormed(word: string): boolean {
  return ENDINGS.some((ending) => {
    if (!word.endsWith(ending)) return false;
    const stem = word.slice(0, -ending.length);
    return stem.length >= MIN_STEM && (TERMS.has(stem) || TERMS.has(`${stem}e`));
  });
}
