import { readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** Changes a configuration file, so that the gateway does not wait at its end for load balancers. */
export function stopAtOnce(file: string): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  document.setIn(['server', 'drain_delay'], '0s');
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}
