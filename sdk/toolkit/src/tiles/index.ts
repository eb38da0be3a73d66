/** A log as a folder of static files. */
export { TileDiffers } from './tile-files.ts';
export { TileFolder } from './tile-folder.ts';
