import type { CompiledRule } from './compile.ts';
import type { Options } from './options.ts';

/**
 * How a streamed answer is checked with these rules.
 * @throws {Error} with the key, the rule and the remedy, if the rules do not allow that mode
 */
export function streamMode(stream: Options['stream'], rules: readonly CompiledRule[]): 'window' | 'post' | 'buffer' {
  const obstacles = rules.flatMap((rule, index) => obstacle(rule, `rules[${index}]`) ?? []);
  switch (stream) {
    case undefined:
      return obstacles.length === 0 ? 'window' : 'buffer';
    case 'buffer':
      return stream;
    case 'window':
    case 'post': {
      const obstacle = obstacles.find(({ modes }) => modes.includes(stream));
      if (obstacle !== undefined) throw new Error(`stream: ${stream} cannot be combined with ${obstacle.reason}`);
      return stream;
    }
  }
}

/** The stream modes that a rule cannot be used in, and the reason. */
function obstacle({ name, verdict, matcher }: CompiledRule, key: string): { modes: readonly string[]; reason: string } | null {
  if (verdict === 'require_approval') {
    const reason = `${key}.verdict require_approval (rule '${name}'), because text that was already sent cannot be held for approval; use stream: buffer, or the verdict block`;
    return { modes: ['window', 'post'], reason };
  }
  if (!matcher.streams) {
    const reason = `${key}.match (rule '${name}'), because its matches can have any length; add max_match, limit repetitions ({1,100} instead of +), or use stream: buffer or post`;
    return { modes: ['window'], reason };
  }
  return null;
}
