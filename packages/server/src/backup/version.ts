import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** Of the service. */
export const softwareVersion = String((JSON.parse(text) as { version: unknown }).version);
