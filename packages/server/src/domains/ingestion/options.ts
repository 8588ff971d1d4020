import { isDate } from '@ploidy/formats/annotation-release';
import { sourceKinds } from '@ploidy/formats/annotation-sources';
import { faultOfOwnName, masksOfType } from '@ploidy/formats/tables';
import { Type } from 'typebox';
import { invalidInput } from '../../base/problem.ts';
import type { NewIngestion } from './ingestions.ts';

const title = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

const literals = <T extends string>(names: readonly T[], description: string) =>
  Type.Optional(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { description },
    ),
  );

const maskNames = [...new Set(Object.values(masksOfType).flat())];

/** Definition of a table of the project's own. */
export const ownTableShape = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Small letters, digits and underscores. Absent: derived from the name of the file',
      }),
    ),
    patientColumn: title('Title of the column with the patient, which is called `patient_id` in the table'),
    sampleColumn: title('Title of the column with the sample, which is called `sample_id` in the table'),
    nulls: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 50,
        description: 'Words for no value, in every column',
      }),
    ),
    columns: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ minLength: 1, maxLength: 255, description: 'Title in the file' }),
          type: literals(
            ['string', 'int', 'float', 'boolean', 'date'],
            'Absent: the type that every value fits',
          ),
          mask: literals(maskNames, 'Absent: `null`, and `hash` for patients and samples'),
        }),
        { maxItems: 2000, description: 'Columns with a type or mask of their own' },
      ),
    ),
  },
  { description: 'Type `table` only: the table that the file becomes' },
);

/** Kind and release of an annotation source. */
export const annotationShape = Type.Object(
  {
    kind: literals(
      sourceKinds.map(({ name }) => name),
      'Kind of the file; absent: recognised by its header',
    ),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Name of the source, whose releases replace each other; absent: that of the kind, or of the file',
      }),
    ),
    version: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Version; absent: that of the header or file name',
      }),
    ),
    released: Type.Optional(
      Type.String({
        maxLength: 10,
        description: 'Date of the release, such as `2026-11-08`: the latest one counts',
      }),
    ),
  },
  { description: 'Type `annotation` only: source and release of the file' },
);

const sampleOptions = [
  ...(['sampleId', 'sampleIds', 'patientId', 'specimenId', 'samples', 'testType', 'sequenceType'] as const),
];

/** Types whose files need no samples of the request: an annotation has alleles and no patient, the others name both themselves. */
const withoutSamples: Readonly<Record<string, string>> = {
  annotation: 'an annotation',
  gff3: 'gene models',
  table: 'a table',
  cbioportal: 'a study',
};

/** Problem 400 for options that contradict the type of an ingestion or each other. */
export function refuseContradictions(input: NewIngestion): void {
  const details: { path: string; message: string }[] = [];
  const whole = withoutSamples[input.type ?? ''];
  if (whole !== undefined)
    for (const name of sampleOptions.filter((name) => input[name] !== undefined))
      details.push({
        path: `body/${name}`,
        message: `cannot be given for ${whole}`,
      });
  if (input.patientId !== undefined && input.samples !== undefined)
    details.push({ path: 'body/patientId', message: 'cannot be given together with samples' });
  if (input.sampleId !== undefined && input.sampleIds !== undefined)
    details.push({ path: 'body/sampleId', message: 'cannot be given together with sampleIds' });
  if (input.table !== undefined && input.type !== 'table')
    details.push({ path: 'body/table', message: 'needs the type table' });
  if (input.annotation !== undefined && input.type !== 'annotation')
    details.push({ path: 'body/annotation', message: 'needs the type annotation' });
  const { released } = input.annotation ?? {};
  if (released !== undefined && !isDate(released))
    details.push({ path: 'body/annotation/released', message: 'is no date, such as 2026-11-08' });
  const name = input.table?.name;
  const fault = name === undefined ? undefined : faultOfOwnName(name);
  if (fault !== undefined) details.push({ path: 'body/table/name', message: fault });
  if (details.length > 0) throw invalidInput(details);
}
