import type { Engine } from '@ploidy/engine';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import { type HtsgetDeps, htsgetRoutes, runIndexes } from '../domains/genomics/htsget/index.ts';
import type { Secrets } from '../platform/secrets/index.ts';

export interface HtsgetPlatform {
  engine: Engine;
  secrets: Secrets;
  publicUrl: () => string;
}

/** Composes tickets and blocks of reads and variants. */
export function openHtsget(deps: HtsgetDeps & HtsgetPlatform, config: Config): Route[] {
  deps.jobs.handle(runIndexes(deps));
  return htsgetRoutes(deps, {
    // Separate key: signatures for files open no blocks, and vice versa.
    key: deps.secrets.derive('htsget-blocks'),
    publicUrl: deps.publicUrl,
    lifeMs: config.signedUrlLifeMs,
    cacheBytes: config.htsgetCacheBytes,
  });
}
