import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { type Route, route } from '../../../api/route.ts';
import { idOf, textOf, timestampShape } from '../../../api/shapes.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { type Lake, lakeTag, locateTables, rowAccessOf, tablesOf } from '../../lake/index.ts';
import { type DirectRows, pageRowsMax } from '../../queries/index.ts';
import { type Phenopacket, phenopacketOf } from './phenopacket.ts';
import { type ReadTable, type Row, readTables, rowsStatement } from './statements.ts';

interface PhenopacketRouteDeps {
  lake: Lake;
  rows: DirectRows;
  projects: Projects;
  countsMin: number;
}

const element = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description });
const elements = (description: string) => Type.Array(element('As the standard has it'), { description });

const phenopacketShape = Type.Object(
  {
    id: textOf('Id of the subject'),
    subject: element('Individual: sex, date of birth, vital status'),
    phenotypicFeatures: elements('Conditions and observations with codes of the Human Phenotype Ontology'),
    measurements: elements('Observations with a number or a coded value'),
    biosamples: elements('Specimens'),
    diseases: elements('Other conditions'),
    medicalActions: elements('Procedures and medications'),
    metaData: Type.Object(
      {
        created: timestampShape,
        createdBy: textOf('Name of the software'),
        resources: elements('Ontologies of the terms'),
        phenopacketSchemaVersion: textOf('Version of the standard: `2.0`'),
      },
      { description: 'Origin of the document, and its ontologies' },
    ),
  },
  { title: 'Phenopacket' },
);

/** Route that reads a subject as a phenopacket. */
export function phenopacketRoute(deps: PhenopacketRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/subjects/:subjectId/phenopacket',
    operation: 'phenopackets.read',
    tag: lakeTag,
    summary: 'Get a patient as a GA4GH phenopacket',
    description: 'From the clinical tables. Concepts without a code, and texts, are left out.',
    params: Type.Object({ id: idOf('Id of the project'), subjectId: idOf('Id of the patient') }),
    answers: { 200: { schema: phenopacketShape, description: 'Phenopacket 2.0' } },
    locate: ({ params }) => locateTables(deps.projects, params.id),
    handle: ({ resource, params, caller, requestId, signal }) =>
      read(deps, resource, params.subjectId, { caller, requestId, signal }),
  });
}

async function read(
  { lake, rows, countsMin }: PhenopacketRouteDeps,
  project: ProjectRecord,
  subject: string,
  by: { caller: Caller; requestId: string; signal: AbortSignal },
): Promise<Phenopacket> {
  // Masked values, such as shifted dates, would look like those of the patient.
  const access = { ...rowAccessOf(by.caller, tablesOf(project), countsMin), masked: false };
  const { tables } = await lake.snapshot(project.id, access);
  const known = readTables.filter((table) => tables.has(table));
  if (!known.includes('demographic')) throw notFound();
  const list = await rows.all(project, rowsStatement(known, subject), pageRowsMax, by, true);
  if (list.length === pageRowsMax) {
    const message = `The patient has ${pageRowsMax} rows or more. Use a query or an export.`;
    throw new Problem(422, 'PHENOPACKET_SIZE', message);
  }
  const found = Object.fromEntries(readTables.map((table): [string, Row[]] => [table, []])) as Record<
    ReadTable,
    Row[]
  >;
  for (const [table, data] of list) found[table as ReadTable].push(JSON.parse(String(data)) as Row);
  // Other tables may name patients of whom nothing else is known.
  if (found.demographic.length === 0) throw notFound();
  return phenopacketOf(subject, found, timestamp(Date.now()));
}
