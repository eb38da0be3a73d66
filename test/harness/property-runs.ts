import fc from 'fast-check';

/** Cases of each law that names no number of its own: bounded where tests run all day, many in the long form (`npm run fault`). */
fc.configureGlobal({ numRuns: process.env.SVC_FAULT === 'long' ? 2_000 : 100 });
