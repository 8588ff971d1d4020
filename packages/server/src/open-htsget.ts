import type { Config } from './config.ts';
import { type HtsgetParts, htsgetRoutes, runIndexes } from './domains/htsget/index.ts';
import type { Engine } from './platform/engine/index.ts';
import type { Secrets } from './platform/secrets/index.ts';
import type { Route } from './route.ts';

export interface HtsgetPlatform {
  engine: Engine;
  secrets: Secrets;
  publicUrl: () => string;
}

/** Puts together tickets and blocks of reads and variants. */
export function openHtsget(parts: HtsgetParts & HtsgetPlatform, config: Config): Route[] {
  parts.jobs.handle(runIndexes(parts));
  return htsgetRoutes(parts, {
    // A key of their own: what is signed for files opens no blocks, nor the other way round.
    key: parts.secrets.derive('htsget-blocks'),
    publicUrl: parts.publicUrl,
    lifeMs: config.signedUrlLifeMs,
    cacheBytes: config.htsgetCacheBytes,
  });
}
