import { errorMessage } from '@svc/contracts';
import { assertKeysKept } from '../process/json-keys.ts';
import { tooOld } from '../process/node-version.ts';
import { type Finding, ok, problem } from './finding.ts';

const REMEDY = 'install Node 22 (22.19 or newer), or 26.12.1 or newer';

/** @param parse `JSON.parse` of this Node, which is tried because some versions confuse keys */
export function checkNode(version: string, parse: (text: string) => unknown = JSON.parse): Finding {
  const old = tooOld(version, null);
  if (old !== null) return problem('node', old, REMEDY);
  try {
    assertKeysKept(parse);
  } catch (error) {
    return problem('node', errorMessage(error, 'JSON.parse is broken in this version of Node'), REMEDY);
  }
  return ok('node', `Node ${version} on ${process.platform} ${process.arch}`);
}
