import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Row, rows } from '../../api/ask.ts';
import { isOneOf } from '../../api/where.ts';
import { Empty, Loaded } from '../../shell/Feedback.tsx';
import { AnchorLink } from '../../shell/links.tsx';
import { type Conditions, nodeOf } from '../../study/conditions.ts';
import type { Unit } from '../../study/study.ts';
import { listedMax, patientsOf } from '../../study/study.ts';
import type { Column } from '../../table/column.ts';
import { Grid } from '../../table/Grid.tsx';

const fields = ['gender', 'age', 'birth_date', 'is_deceased', 'race', 'ethnicity', 'state', 'country'];

interface Props {
  project: string;
  unit: Unit;
  conditions: Conditions;
}

/** Subjects that pass the conditions, one row each. */
export function SubjectTable({ project, unit, conditions }: Props) {
  const ids = useQuery(patientsOf(project, unit, nodeOf(conditions)));
  return <Loaded query={ids}>{(list) => <Rows project={project} ids={list} />}</Loaded>;
}

function Rows({ project, ids }: { project: string; ids: string[] }) {
  const query = useQuery({
    ...rows(project, {
      target: 'patient',
      where: { or: slicesOf(ids).map((slice) => ({ patient: { id: isOneOf(slice) } })) },
      options: { fields },
    }),
    enabled: ids.length > 0,
  });
  if (ids.length === 0)
    return <Empty title="No subject">Remove a condition, or turn one round with "not".</Empty>;
  return (
    <>
      {ids.length >= listedMax && (
        <Text size="sm">
          The first {listedMax.toLocaleString()} subjects. Add a condition, or ask in SQL for all.
        </Text>
      )}
      <Loaded query={query}>
        {(list) => <Grid name="Subjects" columns={columnsOf(project)} rows={list} />}
      </Loaded>
    </>
  );
}

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
