import type { Format } from '@ploidy/converters';
import { masks, type StoredTable, storedTables, type Table, tables } from '@ploidy/formats/tables';
import { operationOf, operations } from '../../access/operations.ts';
import { pathsOf, type Route } from '../../api/route.ts';
import { type ErrorEntry, errorAreas } from '../../base/error-codes/index.ts';
import type { Setting } from '../../config/values.ts';
import { ownActions } from '../../domains/audit/index.ts';

/** Describes the privileges of routes, jobs and tables. */
export function describeAccess(routes: readonly Route[]): string {
  const routeRows = routes.flatMap((route) => {
    return pathsOf(route).map(
      (path) =>
        `| ${route.method} ${path} | ${route.operation} | ${needsOf(route.operation)} | ${typeOf(route.operation)} |`,
    );
  });
  const used = new Set(routes.map((route) => route.operation));
  const others = (Object.keys(operations) as (keyof typeof operations)[]).filter((name) => !used.has(name));
  const otherRows = others.map(
    (name) => `| ${name} | ${needsOf(name)} | ${typeOf(name)} | ${operationOf(name).does} |`,
  );
  return [
    '# Who may do what',
    '',
    'Each route names an operation with its requirement: `public` any caller, `signature` a signed address, `self` any',
    'signed-in user on own resources, `member` any member of the account, or a privilege that the policies of the',
    'account must grant on the resource. Resources that a caller may not know of are 404.',
    '',
    '*by row*: also open to callers with a rule on `resource.subject`, restricted to the rows of these patients',
    '(docs/privacy.md).',
    '',
    '*type* is the `resource.type` that policies decide about. A resource to be made has the type, the project and the',
    'owner that it will have: the caller; it has no id yet. An invitation is decided on its group, a query on the tables',
    'that it reads. A request that does more than one thing needs the right to each: `ingest: true` with an upload, a',
    'move into another project, a sync (a file and its ingestion).',
    '',
    '| route | operation | needs | type |',
    '|---|---|---|---|',
    ...routeRows.sort(),
    '',
    '## Jobs, tables and special cases',
    '',
    '| operation | needs | type | what it does |',
    '|---|---|---|---|',
    ...otherRows.sort(),
    '',
    '## Further events of the audit log',
    '',
    '| action | what happened |',
    '|---|---|',
    ...Object.entries(ownActions)
      .map(([name, what]) => `| ${name} | ${what} |`)
      .sort(),
    '',
  ].join('\n');
}

function typeOf(name: keyof typeof operations): string {
  const { on } = operationOf(name);
  return on === undefined ? '' : `\`${on}\``;
}

function needsOf(name: keyof typeof operations): string {
  const { needs, byRow } = operationOf(name);
  if (!Array.isArray(needs)) return needs;
  const privileges = needs.map((privilege) => `\`${privilege}\``).join(' or ');
  return byRow ? `${privileges}, by row` : privileges;
}

/** Lists the formats of ingestion and the tables that each publishes. */
export function describeFormats(formats: readonly Format[]): string {
  const rows = formats.map(
    ({ name, recognised, publishes }) =>
      `| \`${name}\` | ${recognised ?? 'never: named by the request'} | ${publishes} |`,
  );
  return [
    '# Formats',
    '',
    'A request names a format as the `type` of an ingestion; without one the content is recognised.',
    '',
    '| type | recognised by | publishes |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const areaNames = {
  omic: 'Omic',
  clinical: 'Clinical',
  study: 'Of studies',
  derived: 'Kept by the service',
  own: 'Defined by a project',
};

/** Writes the data dictionary of the lake, with the masked form of each column. */
export function describeTables(): string {
  const kinds = Object.entries(masks).map(([name, shows]) => `| ${name} | ${shows} |`);
  return [
    '# Tables of the data lake',
    '',
    'The mask of a column applies to callers with only `readMaskedData`, in results and within statements. Rows, and limits',
    'of masks: docs/privacy.md.',
    '',
    '| mask | what is seen |',
    '|---|---|',
    ...kinds,
    ...[...tables.values()].flatMap(describeTable),
    '',
    '## Internal tables',
    '',
    'Read by the service; no statement may name them.',
    ...[...storedTables.values()].filter(({ name }) => !tables.has(name)).flatMap(describeStored),
    '',
  ].join('\n');
}

function describeTable(table: Table): string[] {
  const { name, about, area, columns, fhirTypes, formats, isExtension, orderBy } = table;
  const sources = [...formats, ...fhirTypes.map((type) => `FHIR ${type}`)].join(', ');
  return [
    '',
    `## ${name}`,
    '',
    `${about} ${isExtension ? 'Extension beyond the specification. ' : ''}${areaNames[area]}. ${patientOf(columns.map((column) => column.name))}`,
    '',
    ...(sources === '' ? [] : [`Sources: ${sources}.`]),
    `Sorted by ${orderBy.map((column) => `\`${column}\``).join(', ')}.`,
    '',
    '| column | type | mask | meaning |',
    '|---|---|---|---|',
    ...columns.map((column) => `| \`${column.name}\` | ${column.type} | ${column.mask} | ${column.about} |`),
  ];
}

function describeStored({ name, about, columns }: StoredTable): string[] {
  return [
    '',
    `### ${name}`,
    '',
    about,
    '',
    '| column | type | meaning |',
    '|---|---|---|',
    ...columns.map((column) => `| \`${column.name}\` | ${column.type} | ${column.about} |`),
  ];
}

/** States whom the rows of a table are about. */
function patientOf(names: string[]): string {
  if (names.includes('patient_id')) return 'Patient: `patient_id`.';
  if (names.includes('sample_id')) return 'Patient: that of the sample in `sequence`.';
  return 'No patient: hidden from users who may read rows of some patients only.';
}

/** Lists every setting. */
export function describeSettings(settings: Readonly<Record<string, Setting<unknown>>>): string {
  const rows = Object.values(settings).map(
    ({ variable, default: byDefault, unit, reason }) =>
      `| \`${variable}\` | ${byDefault === '' ? '' : `\`${byDefault}\``} | ${unit} | ${reason} |`,
  );
  return [
    '# Settings',
    '',
    'Read from the environment and, under it, from the file that `PLOIDY_CONFIG_FILE` names (`NAME=value` lines). An unknown',
    '`PLOIDY_…` name or a value out of range stops the start. Durations: `14d`, `36h`, `5s`, `250ms` or ISO 8601; sizes: bytes',
    'or `KiB`, `MiB`, `GiB`, `TiB`.',
    '',
    '| variable | default | unit | what and why |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Lists every error code with its status, meaning and remedy. */
export function describeErrors(): string {
  const areas = Object.entries<Record<string, ErrorEntry>>(errorAreas);
  return [
    '# Error codes',
    '',
    'The sentence of an error is for people and may change; its `code` is for programs and does not. Newer versions may add',
    'codes: decide by the status. `INVALID_REQUEST` may have any other status below 500. OAuth and htsget use the names of',
    'their standards. Queries, ingestions and syncs report failures in their records: docs/operate/limits.md,',
    'docs/operate/ehr.md.',
    ...areas.flatMap(([area, entries]) => [
      '',
      `## ${area}`,
      '',
      '| code | status | meaning | remedy |',
      '|---|---|---|---|',
      ...Object.entries(entries).map(
        ([code, [status, meaning, remedy]]) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`,
      ),
    ]),
    '',
  ].join('\n');
}
