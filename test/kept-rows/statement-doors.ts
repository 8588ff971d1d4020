import type { TestProject } from '../inputs/project.ts';
import { TrinoClient } from '../support/trino.ts';
import { until, workLooksMs } from '../support/until.ts';
import { fetched, type Given, type Kept, type Making, sql } from './kept.ts';
import { sees } from './readers.ts';

/** Rows that statements of the Trino protocol keep. */
export const statementDoors = {
  'page of a statement': async ({ app, person, project, before }) => {
    const client = new TrinoClient(app.address, person.key);
    const uri = await finished(client, await client.send(sql, inSchema(project)));
    return { ask: () => pageAt(client, uri), isFor: (later) => sees(later, before) };
  },
  'figures of a statement': async ({ app, person, project, before }) => {
    const client = new TrinoClient(app.address, person.key);
    const uri = await finished(client, await client.send(sql, inSchema(project)));
    const path = `/v1/query/${uri.split('/').at(-2)}`;
    return {
      ask: async () => {
        const { body, text } = await project.call('GET', path);
        return { given: body?.state === 'FINISHED', text };
      },
      isFor: (later) => sees(later, before),
    };
  },
  'segment of a statement': async ({ app, person, project, before }) => {
    const client = new TrinoClient(app.address, person.key);
    const headers = { ...inSchema(project), 'x-trino-query-data-encoding': 'json+zstd' };
    const many = `SELECT patient_id, rpad('', 1000, 'x') FROM patient CROSS JOIN UNNEST(range(1000)) AS t(n)`;
    const page = await client.firstRows(await client.send(many, headers));
    const { uri } = page.data.segments[0];
    return { ask: () => fetched(uri), isFor: (later) => sees(later, before) };
  },
  'look-up of the catalogue': async ({ app, person, before }) => {
    const client = new TrinoClient(app.address, person.key);
    const uri = await client.send('SELECT table_name FROM ploidy.information_schema.tables');
    // Names of tables that other readers are not to see: the same rights are asked for.
    return { ask: () => pageAt(client, uri), isFor: (later) => later === before };
  },
} satisfies Record<string, (making: Making) => Promise<Kept>>;

async function pageAt(client: TrinoClient, uri: string): Promise<Given> {
  const response = await client.ask(uri);
  const text = await response.text();
  return { given: response.status === 200 && JSON.parse(text).data !== undefined, text };
}

const inSchema = ({ id }: TestProject) => ({ 'x-trino-catalog': 'ploidy', 'x-trino-schema': id });

/** Waits for the end of a statement; answers the address of its first page with rows. */
async function finished(client: TrinoClient, uri: string): Promise<string> {
  await until(async () => (await pageAt(client, uri)).given, 'the statement ended', workLooksMs);
  return uri;
}
