import { build } from '@ploidy/cli/build';

/** The build that runs, with the commit and date as far as they are known. */
export { build };

/** Version of the service. All packages share it (test/release/versions.test.ts). */
export const { version } = build;
