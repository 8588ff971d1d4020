import type { Attribute } from './study.ts';

/** Ids of the charts of survival begin with this; the attribute of the status follows. */
const survivalPrefix = 'survival:';

const survivalNames: Readonly<Record<string, string>> = {
  OS: 'Overall survival',
  DFS: 'Disease-free survival',
  PFS: 'Progression-free survival',
  DSS: 'Disease-specific survival',
};

/** Returns the attributes of the status and the time of a chart of survival; `undefined` for other charts. */
export function survivalOf(id: string): { status: string; time: string } | undefined {
  if (!id.startsWith(survivalPrefix)) return undefined;
  const status = id.slice(survivalPrefix.length);
  return { status, time: timeOf(status) };
}

/** Returns the charts of survival: pairs of attributes `…_STATUS` and `…_MONTHS`, overall survival first. */
export function survivalCharts(attributes: readonly Attribute[]): { id: string; name: string }[] {
  const ids = new Set(attributes.map(({ id }) => id));
  const rank = (id: string): number => (id.startsWith('OS_') ? 0 : 1);
  return attributes
    .filter(({ id }) => id.endsWith('_STATUS') && ids.has(timeOf(id)))
    .sort((one, other) => rank(one.id) - rank(other.id))
    .map(({ id, name }) => ({
      id: `${survivalPrefix}${id}`,
      name: survivalNames[id.replace(/_STATUS$/, '')] ?? `Survival: ${name}`,
    }));
}

const timeOf = (status: string): string => status.replace(/_STATUS$/, '_MONTHS');
