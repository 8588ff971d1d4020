import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, waitUntil } from '@ploidy/client';
import { interruptible } from '../interrupt.ts';
import { Progress } from '../progress.ts';
import type { Session } from '../session.ts';
import type { Target } from './export-target.ts';

interface Files {
  project: string;
  cohort: string | undefined;
  format: 'fhir' | 'vcf' | 'cbioportal';
}

/** Starts an export of the service, or follows the one of the folder; saves its files and deletes them there. */
export async function saveExported(session: Session, target: Target, asked: Files): Promise<void> {
  const { client, json } = session;
  const { folder, manifest, writeManifest } = target;
  const { format } = asked;
  if (manifest.exportId === undefined) {
    manifest.exportId = await start(session, asked);
    writeManifest();
  }
  const id = manifest.exportId;
  const progress = new Progress('export', json);
  await interruptible(
    async (signal) => {
      const complete = await waitUntil(
        async (init) =>
          bodyOf(await client.api.GET('/v1/exports/{id}', { params: { path: { id } }, ...init })),
        (state) => 'output' in state,
        { signal, onState: (state) => 'parts' in state && progress.update(state.done, state.parts) },
      );
      const { output, transactionTime } = complete as Extract<typeof complete, { output: unknown }>;
      manifest.transactionTime = transactionTime;
      for (const { name, fileId, type, count } of output) {
        if (manifest.output.some(({ url }) => url === name)) continue;
        // Portals look for case lists in a folder of their own.
        const place =
          format === 'cbioportal' && name.startsWith('cases_') ? join(folder, 'case_lists') : folder;
        mkdirSync(place, { recursive: true });
        await client.download(fileId, join(place, name), { signal });
        manifest.output.push({ type, url: name, ...(count !== undefined && { count }) });
        writeManifest();
        progress.update(manifest.output.length, output.length);
      }
    },
    async () => 'Interrupted; the same command resumes.',
  );
  progress.clear();
  delete manifest.exportId;
  await client.api.DELETE('/v1/exports/{id}', { params: { path: { id } } });
  writeManifest();
}

async function start({ client }: Session, { project, cohort, format }: Files): Promise<string> {
  const path = { id: project };
  const chosen = cohort === undefined ? {} : { cohort };
  const { exportId } =
    format !== 'fhir'
      ? bodyOf(
          await client.api.POST('/v1/projects/{id}/exports', {
            params: { path },
            body: { format, ...chosen },
          }),
        )
      : bodyOf(
          await client.api.GET('/v1/projects/{id}/fhir/$export', {
            params: { path, query: chosen },
            headers: { prefer: 'respond-async' },
          }),
        );
  return exportId;
}
