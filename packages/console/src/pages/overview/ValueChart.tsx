import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Bucket, buckets } from '../../api/ask.ts';
import { Chart } from '../../chart/Chart.tsx';
import { lyingBarsOf } from '../../chart/kinds.ts';
import { sorted } from '../../facets/choices.ts';
import type { Facet, Filter } from '../../facets/facets.ts';
import { Loaded } from '../../shell/Feedback.tsx';

const barsMax = 10;
/** Distinct values of a column of an own table that is still one of categories. */
const categoriesMax = 50;

interface Props {
  project: string;
  facet: Facet;
  lead: (filter: Filter) => void;
}

/** Subjects by the most frequent values of a facet; a bar leads to its subjects. */
export function ValueChart({ project, facet, lead }: Props) {
  const query = useQuery(
    buckets(project, {
      target: facet.target,
      options: {
        groupBy: [facet.field],
        metrics: [{ op: 'countDistinct', field: 'patient_id' }],
        limit: 200,
      },
    }),
  );
  return <Loaded query={query}>{(list) => <Bars facet={facet} list={list} lead={lead} />}</Loaded>;
}

function Bars({ facet, list, lead }: { facet: Facet; list: Bucket[]; lead: (filter: Filter) => void }) {
  // Rows of samples without a patient have values, but no subjects.
  const data = useMemo(
    () =>
      sorted(list, facet.field)
        .filter(({ subjects }) => subjects > 0)
        .slice(0, barsMax),
    [list, facet],
  );
  const options = useMemo(() => lyingBarsOf(data, 'value', 'subjects'), [data]);
  const pick = useMemo(
    () => (row: Record<string, unknown>) => lead({ [facet.id]: [String(row['value'])] }),
    [facet, lead],
  );
  // A column of free text has no most frequent values.
  if (data.length === 0 || (facet.id.includes('.') && list.length > categoriesMax)) return null;
  return <Chart title={facet.title} data={data} options={options} pick={pick} />;
}
