import { useQueries } from '@tanstack/react-query';
import { type Bucket, count } from '../api/ask.ts';
import { both, type Where } from '../api/where.ts';
import { type Facet, whereOf } from './facets.ts';

/** A facet, and the conditions under which its values are counted. */
export interface Under {
  project: string;
  facets: readonly Facet[];
  cohort: string | undefined;
  facet: Facet;
  where: Where | undefined;
}

/** Cohorts whose subjects are counted, one request each; others are shown without a number. */
const countedMax = 20;

/** Cohorts by name, each with the number of subjects that its choice would leave. */
export function useCohortChoices({ project, cohort, facet, where }: Under) {
  const names = [...(facet.names ?? [])];
  const counts = useQueries({
    queries: names
      .slice(0, countedMax)
      .map(([id]) => count(project, 'patient', both(where, whereOf({ [facet.id]: [id] }, [facet])), cohort)),
  });
  return names.map(([id, name], at) => choiceOf(id, name, counts[at]?.data));
}

/** Returns a value with its name and the number of its subjects, where known. */
export function choiceOf(value: string, name: string, subjects: number | undefined) {
  return { value, label: subjects === undefined ? name : `${name} (${subjects.toLocaleString()})` };
}

/** Values by their subjects, the most frequent first; missing ones are no choice. */
export function sorted(list: Bucket[], field: string): { value: string; subjects: number }[] {
  return list
    .filter(({ key }) => key[field] !== null)
    .map(({ key, metrics }) => ({ value: String(key[field]), subjects: Number(metrics?.[0]?.value ?? 0) }))
    .sort((one, other) => other.subjects - one.subjects);
}
