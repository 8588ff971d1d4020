import { api, take } from '../../api/client.ts';
import { put } from '../files/put.ts';

/** Files of the sample project, each at an address of its own that the build made. */
const addresses = import.meta.glob<string>('../../../../../samples/data/{bam,fasta,fhir,omic,vcf}/*', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Stage of loading the sample project. */
export interface SampleProgress {
  step: 'Uploading' | 'Reading';
  done: number;
  total: number;
}

/** Creates the sample project, uploads its files and ingests them. Resolves to the id of the project. */
export async function loadSample(report: (progress: SampleProgress) => void): Promise<string> {
  const body = { name: 'Sample project', description: '20 invented patients with clinical and genomic data' };
  const { id: datasetId } = await take(api.POST('/v1/projects', { body }));
  const files = Object.entries(addresses);
  const started: string[] = [];
  for (const [at, [path, address]] of files.entries()) {
    report({ step: 'Uploading', done: at, total: files.length });
    const fileId = await copy(datasetId, path.split('/').slice(-2).join('/'), address);
    started.push((await take(api.POST('/v1/ingestions', { body: { datasetId, fileId } }))).id);
  }
  for (const [at, id] of started.entries()) {
    report({ step: 'Reading', done: at, total: started.length });
    await ended(id);
  }
  return datasetId;
}

/** Copies a file of the console into a project. */
async function copy(datasetId: string, name: string, address: string): Promise<string> {
  const bytes = await (await fetch(address)).blob();
  const body = { name, datasetId, size: bytes.size };
  const { id, uploadUrl } = await take(api.POST('/v1/files', { body }));
  await put(uploadUrl, bytes, new AbortController().signal, () => undefined);
  return id;
}

const pollMs = 500;

/** Waits for the end of an ingestion; throws where it has failed. */
async function ended(id: string): Promise<void> {
  for (;;) {
    const one = await take(api.GET('/v1/ingestions/{id}', { params: { path: { id } } }));
    if (one.state === 'succeeded') return;
    if (one.state !== 'queued' && one.state !== 'running')
      throw new Error(`${one.fileName}: ${one.error?.message ?? one.state}.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
