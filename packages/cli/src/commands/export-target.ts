import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, exitCodes } from '../exit.ts';

/** Record of an export in its folder, by which a repeated command goes on. */
interface Manifest {
  transactionTime: string;
  /** Project, format and cohort. */
  request: string;
  requiresAccessToken: boolean;
  /** Files that are complete. */
  output: { type?: string; url: string; count?: number }[];
  error: never[];
  /** Export of the service that writes the files. */
  exportId?: string;
}

/** Folder of an export with its record. */
export interface Target {
  folder: string;
  manifest: Manifest;
  /** Writes the record. */
  writeManifest(): void;
}

/** Opens the folder of an export: a new one, or one that the same command began. */
export function targetOf(folder: string, request: string): Target {
  const path = join(folder, 'manifest.json');
  const writeManifest = (manifest: Manifest): void =>
    writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
  if (existsSync(folder)) {
    const manifest = existsSync(path) && (JSON.parse(readFileSync(path, 'utf8')) as Manifest);
    if (manifest && manifest.request === request)
      return { folder, manifest, writeManifest: () => writeManifest(manifest) };
    throw new CommandError(`${folder} contains something else. Give a new folder.`, exitCodes.usage);
  }
  mkdirSync(folder);
  const manifest: Manifest = {
    transactionTime: new Date().toISOString(),
    request,
    requiresAccessToken: false,
    output: [],
    error: [],
  };
  writeManifest(manifest);
  return { folder, manifest, writeManifest: () => writeManifest(manifest) };
}
