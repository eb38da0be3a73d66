// Measures how long guards hold back streamed text, counted in tokens: `npm run score:streams`. It uses no clock, so the figures are the same on any
// machine.
import { percentile } from '../bench/statistics.ts';
import { GUARD_SETS, type GuardSet, lagsOf } from '../harness/stream-lag.ts';
import { tokenStreams } from '../harness/token-streams.ts';

process.stdout.write('TOKENS LATER            FIRST TEXT p50 max    EACH p50 p99 max  mean\n');
for (const [kind, streams] of tokenStreams()) {
  for (const guards of Object.keys(GUARD_SETS) as GuardSet[]) {
    const lags = [];
    for (const tokens of streams) lags.push(await lagsOf(guards, tokens));
    const first = lags.map((lag) => lag.first).sort((a, b) => a - b);
    const each = lags.flatMap((lag) => lag.each).sort((a, b) => a - b);
    const mean = each.reduce((sum, lag) => sum + lag, 0) / each.length;
    const cells = [
      percentile(first, 0.5),
      percentile(first, 1),
      percentile(each, 0.5),
      percentile(each, 0.99),
      percentile(each, 1),
    ].map((figure, n) => String(figure).padStart([14, 4, 12, 4, 4][n] ?? 0));
    process.stdout.write(`${kind.padEnd(12)} ${guards.padEnd(20)}${cells.join('')} ${mean.toFixed(2).padStart(5)}\n`);
  }
}
