/** For plugins that use packages which the operator installs, because the gateway does not include them. */
export { installedUrl, NotInstalledError, requireInstalled } from './installed.ts';
