/** Tests, and what only they need. */
export const FOR_TESTS = /\.test\.ts$|\/test-[a-z-]+\.ts$|-fixture\.ts$|\/testing\/|\/doubles\//;
