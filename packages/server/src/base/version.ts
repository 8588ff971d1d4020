import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** Version of the service, from its package. All packages share it (test/release/versions.test.ts). */
export const version = String((JSON.parse(text) as { version: unknown }).version);
