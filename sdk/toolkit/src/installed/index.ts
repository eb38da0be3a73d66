/** For plugins that use packages that the operator must install, because the gateway does not include them. */
export { installedUrl, NotInstalledError, requireInstalled } from './installed.ts';
