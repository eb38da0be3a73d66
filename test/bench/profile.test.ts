import { expect, it } from 'vitest';
import { partsOf } from './profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 0, columnNumber: 0 });

it('assigns the time of a sample to the innermost part that it ran in', () => {
  const nodes = [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 8, 9] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('onread', 'node:internal/stream_base_commons'), children: [5] },
    { id: 5, callFrame: frame('parserOnHeadersComplete', 'node:_http_common'), children: [6] },
    { id: 6, callFrame: frame('dispatch', 'file:///x/node_modules/undici/lib/client.js'), children: [7] },
    { id: 7, callFrame: frame('writev', 'node:net') },
    { id: 8, callFrame: frame('processTicks', 'node:internal/process/task_queues') },
    { id: 9, callFrame: frame('startProfile', 'file:///x/test/bench/cost-probe.ts'), children: [10] },
    { id: 10, callFrame: frame('post', 'node:inspector') },
  ];
  const samples = [2, 3, 5, 6, 7, 8, 10];
  const parts = partsOf({ nodes, samples, timeDeltas: [100, 10, 20, 3, 4, 5, 900] });
  expect([...parts].sort()).toEqual(
    Object.entries({
      '(idle)': 1000,
      'HTTP of Node': 20,
      'garbage collection': 10,
      'the rest of Node': 5,
      'upstream call': 7,
    }),
  );
});
