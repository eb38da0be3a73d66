/** Tests and files that only tests use. */
export const FOR_TESTS = /\.test\.ts$|\/test-[a-z-]+\.ts$|-fixture\.ts$|\/testing\/|\/doubles\//;
