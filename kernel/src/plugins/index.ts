export {
  type AllowList,
  discoverPlugins,
  findPlugin,
  type PluginCatalogue,
  type PluginEntry,
  type PluginRoot,
  type RefusedPlugin,
} from './discover.ts';
export { loadPlugin } from './load.ts';
export { nearestPackageJson } from './package-json.ts';
export { pinOf } from './pin.ts';
export { PluginLoadError, type PluginLoadReason } from './plugin-load-error.ts';
