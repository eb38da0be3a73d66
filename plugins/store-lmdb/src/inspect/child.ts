import { inspect, inspectPages } from './inspect.ts';
import { PAGES_FIRST, READABLE } from './inspect-in-child.ts';

const [, , folder = '', order] = process.argv;

/** The process that `inspectInChild` starts: reports the damage of a folder as JSON. */
if (order === PAGES_FIRST && inspectPages(folder) === null) process.stdout.write(READABLE);
process.stdout.write(JSON.stringify(inspect(folder)));
