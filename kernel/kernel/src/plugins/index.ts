export {
  type AllowList,
  discoverPlugins,
  findPlugin,
  type PluginCatalogue,
  type PluginEntry,
  type PluginRoot,
} from './discover.ts';
export { isGuard } from './is-guard.ts';
export { loadPlugin } from './load.ts';
export { nearestPackageJson } from './package-json.ts';
export { pinOf } from './pin.ts';
export { PluginLoadError } from './plugin-load-error.ts';
