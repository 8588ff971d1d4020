import type { Engine } from '@ploidy/engine';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import { type HtsgetDeps, htsgetRoutes, runIndexes } from '../domains/genomics/htsget/index.ts';

export interface HtsgetPlatform {
  engine: Engine;
  publicUrl: () => string;
}

/** Composes tickets and blocks of reads and variants. */
export function openHtsget(deps: HtsgetDeps & HtsgetPlatform, config: Config): Route[] {
  deps.jobs.handle(runIndexes(deps));
  return htsgetRoutes(deps, {
    publicUrl: deps.publicUrl,
    cacheBytes: config.htsgetCacheBytes,
  });
}
