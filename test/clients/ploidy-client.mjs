// Does with @ploidy/client what programs do, in every runtime and bundle. Paths of local files are for runtimes that have them.
import { ClientError, PloidyClient } from '@ploidy/client';

function require(isTrue, what) {
  if (!isTrue) throw new Error(what);
}

/** Returns "complete", or throws. */
export async function complete(connection, name, path) {
  const client = new PloidyClient(connection);
  const project = await client.createProject(name);
  const blobId = await client.upload(project.id, 'blob.csv', new Blob(['patient,score\np1,1.5\np2,7\n']));
  const ingestion = await client.ingest({
    datasetId: project.id,
    fileId: blobId,
    type: 'table',
    table: { name: 'scores' },
  });
  const ended = await client.waitForIngestion(ingestion.id);
  require(ended.state === 'succeeded', JSON.stringify(ended.error));
  const rows = [];
  for await (const row of client.rows(project.id, 'SELECT * FROM scores ORDER BY score')) rows.push(row);
  require(rows.length === 2 && rows[1].score === 7, JSON.stringify(rows));
  const arrow = await client.toArrow(project.id, 'SELECT 40 + 2 AS answer');
  require(arrow instanceof Uint8Array && arrow.length > 100, 'an Arrow stream');
  const page = await client.firstRows(project.id, 'SELECT 9007199254740993 AS large, 0.5 AS half', 10);
  require(/9007199254740993.*0\.5/.test(JSON.stringify(page.rows)), JSON.stringify(page.rows));
  const refused = await client.previewQuery(project.id, 'SELECT nope FROM scores').catch((error) => error);
  require(refused instanceof ClientError && refused.code === 'INVALID_QUERY', String(refused));
  const whole = path === undefined ? refusesPaths(client, project) : movesFiles(client, project, path);
  await whole;
  return 'complete';
}

async function movesFiles(client, project, path) {
  const id = await client.upload(project.id, 'file', path);
  const saved = `${path}.saved`;
  await client.download(id, saved);
  const again = await client.upload(project.id, 'again', saved);
  const sizes = [];
  for await (const { size } of client.files(project.id)) sizes.push(size);
  require(sizes.filter((size) => size === 70 * 1024 * 1024).length === 2, `${sizes} ${again}`);
}

async function refusesPaths(client, project) {
  const refused = await client.upload(project.id, 'file', '/etc/hostname').catch((error) => error);
  require(refused instanceof ClientError && refused.code === 'NO_FILES', String(refused));
}
