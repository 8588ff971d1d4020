import { PloidyClient } from '@ploidy/client';
import { connection } from '../../api/client.ts';

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
  const client = new PloidyClient(connection);
  const description = '20 invented patients with clinical and genomic data';
  const { id: datasetId } = await client.createProject('Sample project', description);
  const files = Object.entries(addresses);
  const started: string[] = [];
  for (const [at, [path, address]] of files.entries()) {
    report({ step: 'Uploading', done: at, total: files.length });
    const bytes = await (await fetch(address)).blob();
    const fileId = await client.upload(datasetId, path.split('/').slice(-2).join('/'), bytes);
    started.push((await client.ingest({ datasetId, fileId })).id);
  }
  for (const [at, id] of started.entries()) {
    report({ step: 'Reading', done: at, total: started.length });
    const { fileName, state, error } = await client.waitForIngestion(id);
    if (state !== 'succeeded') throw new Error(`${fileName}: ${error?.message ?? state}.`);
  }
  return datasetId;
}
