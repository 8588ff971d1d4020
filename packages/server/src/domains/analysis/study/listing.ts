import { literal } from '@ploidy/engine';
import type { Compiler } from '../analytics/index.ts';
import type { ColumnAttribute } from './attributes.ts';
import type { Building, Part } from './building.ts';
import type { Cell } from './cells.ts';

/** Attribute of a study as the list shows it. */
interface ListedAttribute {
  id: string;
  level: 'patient' | 'sample';
  name: string;
  type: 'string' | 'number' | 'boolean';
  unit?: string;
  description?: string;
  priority: number;
  share: number;
  origin: 'table' | 'study';
}

interface FoundAttributes {
  patients: Cell;
  samples: Cell;
  /** Subjects with a value by the place of the column attribute. */
  columns: Record<string, Cell>;
  study:
    | {
        id: string;
        level: string;
        name: string | null;
        type: string;
        unit: string | null;
        description: string | null;
        priority: number | null;
        filled: Cell;
      }[]
    | null;
}

/** Builds the attributes that have values, with the share of subjects that have one. */
export function attributesPart({ statement, cells }: Omit<Building, 'set' | 'bars'>): Part {
  const { compiler } = statement;
  const byTable = Map.groupBy(statement.attributes.values(), ({ table }) => table);
  const counts = [...byTable].map(([table, attributes]) => {
    // One scan of each table counts all of its columns.
    const places = attributes.map(({ id }, at) => `${literal(id)}: ${cells.distinct('owner', `has${at}`)}`);
    return `(SELECT {${places.join(', ')}} FROM ${withPatient(ownersIn(attributes, compiler))}) AS "${table}"`;
  });
  const filled = `SELECT attribute_id, ${cells.distinct('coalesce(sample_id, patient_id)')} AS cell
    FROM ${withPatient(compiler.relation('attribute_value'))} WHERE value IS NOT NULL OR number IS NOT NULL GROUP BY attribute_id`;
  const study = `SELECT list({'id': a.attribute_id, 'level': a.level, 'name': a.name, 'type': a.type, 'unit': a.unit,
    'description': a.description, 'priority': a.priority, 'filled': f.cell} ORDER BY a.attribute_id)
    FROM (SELECT DISTINCT * FROM ${compiler.relation('attribute')}) AS a JOIN (${filled}) AS f ON f.attribute_id = a.attribute_id`;
  return {
    sql: `SELECT to_json({'patients': (SELECT ${cells.rows()} FROM ${withPatient('(SELECT DISTINCT patient_id FROM universe)')}),
      'samples': (SELECT ${cells.distinct('id')} FROM ${withPatient(compiler.relation('sequence'))}), 'columns': to_json(c), 'study': (${study})}) FROM (SELECT ${counts.join(', ')}) AS c`,
    result: ({ patients, samples, columns, study: defined }: FoundAttributes) => {
      const all = { patient: cells.shown(patients) ?? 0, sample: cells.shown(samples) ?? 0 };
      const share = (count: Cell, level: 'patient' | 'sample'): number =>
        all[level] === 0 ? 0 : Math.min(1, (cells.shown(count) ?? 0) / all[level]);
      const filledOf = new Map(
        Object.values(columns).flatMap((table) => Object.entries(Object(table) as Record<string, Cell>)),
      );
      const ofColumns = [...statement.attributes.values()].map(
        ({ id, level, name, type, unit, priority }): ListedAttribute => ({
          ...{ id, level, name, type, priority, origin: 'table' },
          ...(unit !== undefined && { unit }),
          share: share(filledOf.get(id) ?? 0, level),
        }),
      );
      const ofStudy = (defined ?? []).map(
        ({ id, level, name, type, unit, description, ...one }): ListedAttribute => {
          const of = level === 'sample' ? 'sample' : 'patient';
          return {
            ...{ id, level: of, name: name ?? id, origin: 'study' },
            type: type === 'number' || type === 'boolean' ? type : 'string',
            ...(unit !== null && { unit }),
            ...(description !== null && { description }),
            priority: one.priority ?? 1,
            share: share(one.filled, of),
          };
        },
      );
      return { attributes: [...ofStudy, ...ofColumns].filter((one) => one.share > 0) };
    },
  };
}

/** Adds what small counts are about to rows of patients. */
const withPatient = (rows: string): string =>
  `(SELECT *, patient_id AS patient, hash(patient_id) AS digest FROM ${rows})`;

/** Selects owner and patient of the rows of a table. `has0`, `has1` …: whether it has a value of each attribute. */
function ownersIn(attributes: readonly ColumnAttribute[], compiler: Compiler): string {
  const [first] = attributes;
  if (!first) return '(SELECT NULL AS owner, NULL AS patient_id)';
  const { owners, isOwn, table, level } = first;
  const owner = owners.find((one) => one.level === level)?.id ?? 'patient_id';
  const hasPatient = isOwn !== true || owners.some((one) => one.level === 'patient');
  const filled = attributes.map(({ value }, at) => `${value} IS NOT NULL AS has${at}`);
  const rows = `(SELECT ${owner} AS owner, ${hasPatient ? 'patient_id' : 'CAST(NULL AS VARCHAR) AS patient_id'}, ${filled.join(', ')}
    FROM ${compiler.relation(table)})`;
  if (isOwn !== true || level === 'patient') return rows;
  const samples = `(SELECT id, any_value(patient_id) AS patient_id FROM ${compiler.relation('sequence')} GROUP BY id)`;
  return `(SELECT r.* REPLACE (coalesce(s.patient_id, r.patient_id) AS patient_id) FROM ${rows} AS r LEFT JOIN ${samples} AS s ON s.id = r.owner)`;
}

/** Builds a page of the subjects in a set, in the order of their ids. `after`: last one of the page before. */
export function subjectsPart(
  { statement, set }: Pick<Building, 'statement' | 'set'>,
  { rowsMax, after }: { rowsMax: number; after: string | undefined },
): Part {
  const { parameters } = statement.compiler;
  const from = after === undefined ? '' : `WHERE subject_id > ${parameters.add(after, 'VARCHAR')}`;
  const page = `SELECT subject_id, patient_id FROM _subject SEMI JOIN ${set} AS m USING (subject) ${from}
    ORDER BY subject_id LIMIT ${rowsMax}`;
  return {
    sql: `SELECT to_json({'rows': (SELECT list({'subject': subject_id, 'patient': patient_id} ORDER BY subject_id) FROM (${page}))})`,
    result: ({ rows }: { rows: { subject: string; patient: string | null }[] | null }) => ({
      subjects: (rows ?? []).map(({ subject, patient }) => ({
        ...(statement.unit === 'sample' && { sampleId: subject }),
        ...(patient !== null && { patientId: patient }),
      })),
    }),
  };
}
