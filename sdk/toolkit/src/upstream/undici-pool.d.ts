/** The file that defines the `Pool` which undici exports; its declarations name the export only. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
