import { CliError } from '../errors/cli-error.ts';
import { readArguments } from './arguments.ts';
import { type CompletionRule, completionRules } from './completion-rules.ts';

/** `svc completion bash|zsh|fish`: prints a script that completes commands, options and their values. */
export async function completion(args: string[]): Promise<void> {
  const [shell = ''] = readArguments(args, {}, ['SHELL']).positionals;
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) throw new CliError(`unknown shell ${shell}: use bash, zsh or fish`, 2);
  process.stdout.write(script(completionRules()));
}

const SCRIPTS: Readonly<Record<string, (rules: readonly CompletionRule[]) => string>> = {
  bash: (rules) => `_svc() {
  local found
  _svc_find "\${COMP_CWORD}" "\${COMP_WORDS[1]}" "\${COMP_WORDS[2]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}

${findFunction(rules)}
complete -o default -F _svc svc
`,
  zsh: (rules) => `#compdef svc
_svc() {
  local found
  _svc_find "$((CURRENT - 1))" "\${words[2]}" "\${words[3]}" "\${words[CURRENT-1]}"
  if [ -n "$found" ]; then compadd -- \${=found}; else _files; fi
}

${findFunction(rules)}
if [ "\${funcstack[1]}" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: (rules) => `function __svc_words
  set -l typed (commandline -opc)
  set -l place $typed[2..3]
  switch "$typed[2]"
${rules
  .filter(({ kind }) => kind === 'group')
  .map(
    ({ path, words }) => `    case ${path}\n      test (count $typed) -eq 2; and printf '%s\\n' ${words.join(' ')}; and return\n`,
  )
  .join('')}    case '*'
      set place $typed[2]
  end
  test (count $typed) -eq 1; and set place ''
  switch "$place $typed[-1]"
${fishCases(rules, 'value')}  end
  switch "$place"
${fishCases(rules, 'command')}  end
end
complete -c svc -f -n 'count (__svc_words) >/dev/null' -a '(__svc_words)'
`,
};

/** Sets `found` from the index of the word, the first two words and the previous word. Works in both bash and zsh. */
function findFunction(rules: readonly CompletionRule[]): string {
  const groups = rules.filter(({ kind }) => kind === 'group');
  return `_svc_find() {
  local place=$2
  found=
  if [ "$1" -eq 1 ]; then place=; fi
  if [ "$1" -gt 1 ]; then
    case "$2" in
${groups.map(({ path, words }) => `      ${path}) if [ "$1" -eq 2 ]; then found='${words.join(' ')}'; return; fi; place="$2 $3" ;;\n`).join('')}    esac
  fi
  case "$place $4" in
${cases(rules, 'value')}  esac
  case "$place" in
${cases(rules, 'command')}  esac
}
`;
}

function cases(rules: readonly CompletionRule[], wanted: CompletionRule['kind']): string {
  const end = wanted === 'value' ? '; return' : '';
  return rules
    .filter(({ kind }) => kind === wanted)
    .map(({ path, words }) => `    '${path}') found='${words.join(' ')}'${end} ;;\n`)
    .join('');
}

function fishCases(rules: readonly CompletionRule[], wanted: CompletionRule['kind']): string {
  const end = wanted === 'value' ? '; return' : '';
  return rules
    .filter(({ kind }) => kind === wanted)
    .map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}${end}\n`)
    .join('');
}
