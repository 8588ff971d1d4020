/** Rule for waits in the domains: a held request is declared, and then takes no place of the requests at work. */
import { isTestCode, roomOf } from './arrows.ts';
import type { SourceFile } from './source.ts';

/** Files that wait by the clock for something else than a request, each with what it is. */
const background: Readonly<Record<string, string>> = {
  'analysis/cohorts/recount.ts': 'limits the time of a count',
  'lake/catalogue/retired.ts': 'pauses a sweep',
  'files/uploads/direct-uploads.ts': 'limits the time of a look into the store',
  'protocols/events/event-stream.ts': 'pauses a stream, of which a person has few',
  'ehrs/fhir-server/open-server.ts': 'pauses a sync',
  'ehrs/sync/pull.ts': 'pauses a sync',
};

const waits = /\bsetTimeout\b[^;]*'node:timers\/promises'|\bnew ChangeWaiter\(/;
const domains = 'packages/server/src/domains/';

/** Reports files that wait for the clock or for an announcement without `RouteContext.wait`. */
export function unheldWaits(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => roomOf(path) === 'domains' && !isTestCode(path))
    .filter(({ path, code }) => waits.test(code) && !/\bwait\((?:async )?\(/.test(code) && !reasonOf(path))
    .map(({ path }) => `${path} waits: hold its request with the wait of its route, or say what waits`);
}

function reasonOf(path: string): string | undefined {
  return background[path.slice(domains.length)];
}
