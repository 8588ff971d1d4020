import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type Row, rows, rowsMax } from '../../api/ask.ts';
import { isOneOf } from '../../api/where.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { type Conditions, nodeOf } from '../../study/conditions.ts';
import type { Attribute, Unit } from '../../study/study.ts';
import { listedMax, patientsOf } from '../../study/study.ts';
import { type Labels, valueText } from '../../study/words.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';
import { wordOf } from '../../words/dictionary.ts';

const fields = ['gender', 'age', 'birth_date', 'is_deceased', 'race', 'ethnicity', 'state', 'country'];

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
  attributes: readonly Attribute[];
  labels: Labels;
  /** Number of subjects above the list, when it was counted, and how it is counted again. */
  counted: { patients: number | null | undefined; at: number; again: () => unknown };
}

/** Attributes of files that are columns at first, the most important ones. */
const attributesMax = 12;

/** Subjects that pass the conditions, one row each. */
export function SubjectTable({ project, unit, conditions, attributes, labels, counted }: Props) {
  const ids = useQuery(patientsOf(project, unit, nodeOf(conditions)));
  const { data, dataUpdatedAt, isPlaceholderData } = ids;
  const { patients, at, again } = counted;
  const isCounted = !isPlaceholderData && at > 0 && typeof patients === 'number';
  const isOld = isCounted && dataUpdatedAt > at && data?.length !== Math.min(patients, listedMax);
  // Data or rights have changed since the page counted: numbers and list may not contradict each other.
  useEffect(() => {
    if (isOld) again();
  }, [isOld, again]);
  const chosen = attributes
    .filter(({ origin, priority }) => origin === 'study' && priority > 0)
    .sort((one, other) => other.priority - one.priority)
    .slice(0, attributesMax);
  return (
    <Loaded query={ids}>
      {(list) =>
        list.length === 0 && conditions.length === 0 ? (
          <Empty title="No subject">You may see no subject of this project, or it holds none.</Empty>
        ) : (
          <Rows project={project} ids={list} attributes={chosen} labels={labels} />
        )
      }
    </Loaded>
  );
}

interface RowsProps {
  project: string;
  ids: string[];
  attributes: Attribute[];
  labels: Labels;
}

function Rows({ project, ids, attributes, labels }: RowsProps) {
  const slices = slicesOf(ids);
  const query = useQuery({
    ...rows(project, {
      target: 'patient',
      where: { or: slices.map((slice) => ({ patient: { id: isOneOf(slice) } })) },
      options: { fields },
    }),
    enabled: ids.length > 0,
  });
  const attribute_id = isOneOf(attributes.map(({ id }) => id));
  const values = useQuery({
    ...rows(project, {
      target: 'attribute_value',
      where: {
        or: slices.map((slice) => ({
          patient: { id: isOneOf(slice), attributeValues: { attribute_id } },
        })),
      },
      options: { fields: ['attribute_id', 'patient_id', 'value'] },
    }),
    enabled: ids.length > 0 && attributes.length > 0,
  });
  const byPatient = useMemo(() => valuesOf(values.data ?? []), [values.data]);
  // A part of the values would look like missing ones.
  const isCut = (values.data?.length ?? 0) >= rowsMax;
  if (ids.length === 0)
    return <Empty title="No subject">Remove a condition, or turn one round with "not".</Empty>;
  const names = new Set(attributes.map(({ name }) => name));
  const columns = [
    ...columnsOf(project).filter(({ name }) => !names.has(wordOf(name).heading)),
    ...(isCut || !values.data ? [] : attributes.map((one) => columnOf(one, byPatient, labels))),
  ];
  return (
    <>
      {ids.length >= listedMax && (
        <Text size="sm">
          The first {listedMax.toLocaleString()} subjects. Add a condition, or ask in SQL for all.
        </Text>
      )}
      {isCut && (
        <Text size="sm">
          These subjects have too many values of attributes for a table. Add a condition to see them.
        </Text>
      )}
      <Loaded query={query}>
        {(list) => <Grid name="Subjects" columns={columns.filter(hasValueIn(list))} rows={list} />}
      </Loaded>
    </>
  );
}

/** Values of attributes by patient; of several samples in their order. */
type Values = ReadonlyMap<string, ReadonlyMap<string, string[]>>;

function valuesOf(list: readonly Row[]): Values {
  const found = new Map<string, Map<string, string[]>>();
  for (const { patient_id: patient, attribute_id: attribute, value } of list) {
    if (value === null || value === undefined) continue;
    const own = found.get(String(patient)) ?? new Map<string, string[]>();
    found.set(String(patient), own);
    const known = own.get(String(attribute)) ?? [];
    own.set(String(attribute), known.includes(String(value)) ? known : [...known, String(value)]);
  }
  return found;
}

function columnOf(attribute: Attribute, byPatient: Values, labels: Labels): Column<Row> {
  const values = (row: Row): string[] => byPatient.get(String(row['id']))?.get(attribute.id) ?? [];
  const isNumber = attribute.type === 'number';
  return {
    name: attribute.name,
    numeric: isNumber,
    value: (row) => {
      const [first, ...others] = values(row);
      const number = Number(first);
      if (isNumber && others.length === 0 && first !== undefined && !Number.isNaN(number)) return number;
      return values(row)
        .map((value) => valueText(attribute, value, labels))
        .join(', ');
    },
  };
}

/** Reports whether a column has a value in any row; one without is no help. */
const hasValueIn =
  (list: readonly Row[]) =>
  ({ value }: Column<Row>): boolean =>
    list.some((row) => String(value(row) ?? '') !== '');

/** Values that a condition takes at most. */
const sliceMax = 1000;

function slicesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / sliceMax) }, (_, at) =>
    ids.slice(at * sliceMax, (at + 1) * sliceMax),
  );
}

function columnsOf(project: string): Column<Row>[] {
  const id: Column<Row> = {
    name: 'subject',
    value: (row) => row['id'],
    render: (row) => (
      <AnchorLink
        size="sm"
        to="/projects/$project/subjects/$patient"
        params={{ project, patient: String(row['id']) }}
      >
        {String(row['id'])}
      </AnchorLink>
    ),
  };
  return [id, ...fields.map((name) => ({ name, value: (row: Row) => row[name] }))];
}
