/** Kinds of readers of a project, and what each sees of a row: decided patient by patient, without the service's own sets. */

type Rows = true | readonly string[] | undefined;

/** Rows of a kind of reader: all, those of some patients, or none. */
export interface Reader {
  real?: Rows;
  masked?: Rows;
}

/** Patients of the project. The last represents values without a patient, and future patients. */
export const patients = ['p-0', 'p-1', 'p-2', 'p-3'] as const;
const nobody = undefined;

export const readers = {
  all: { real: true },
  listed: { real: patients },
  some: { real: ['p-0', 'p-1'] },
  fewer: { real: ['p-0'] },
  others: { real: ['p-2', 'p-3'] },
  masked: { masked: true },
  'masked some': { masked: ['p-0', 'p-1'] },
  'masked others': { masked: ['p-2', 'p-3'] },
  mixed: { real: ['p-0'], masked: true },
  'mixed some': { real: ['p-0'], masked: ['p-1'] },
  none: {},
} as const satisfies Record<string, Reader>;

export type Kind = keyof typeof readers;

export const kinds = Object.keys(readers) as Kind[];

/** Policy of a kind for one user, who may also move files. */
export function policyOf(kind: Kind, userId: string): object {
  const { real, masked }: Reader = readers[kind];
  const rule = (rows: Exclude<Rows, undefined>) => ({
    'user.id': { comparison: 'equals', value: userId },
    ...(rows !== true && { 'resource.subject': { comparison: 'in', value: rows } }),
  });
  const rules = {
    ...{ createData: [rule(true)], updateData: [rule(true)] },
    ...(real && { readData: [rule(real)] }),
    ...(masked && { readMaskedData: [rule(masked)] }),
  };
  return { rules };
}

const holds = (rows: Rows, patient: string | undefined): boolean =>
  rows === true || (patient !== undefined && (rows?.includes(patient) ?? false));

function shown(kind: Kind, patient: string | undefined): 'real' | 'masked' | 'not' {
  const { real, masked }: Reader = readers[kind];
  if (holds(real, patient)) return 'real';
  return holds(masked, patient) ? 'masked' : 'not';
}

/** Reports whether each row that one kind sees is seen by another, and as well. */
export function sees(later: Kind, earlier: Kind): boolean {
  return [...patients, nobody].every((patient) => {
    const [then, now] = [shown(earlier, patient), shown(later, patient)];
    return then === 'not' || now === 'real' || now === then;
  });
}

export const seesAll = (kind: Kind): boolean => shown(kind, nobody) === 'real';
export const seesRows = (kind: Kind): boolean => kind !== 'none';
/** Reports whether a kind sees all rows or none, whatever their patient: others ingest nothing. */
export const mayIngest = (kind: Kind): boolean => {
  const { real, masked }: Reader = readers[kind];
  return real === true || [real, masked].every((rows) => rows === undefined || rows === true);
};
/** Form in which a kind sees all rows, which analytics need. */
export const formOf = (kind: Kind): 'real' | 'masked' | undefined => {
  const { real, masked }: Reader = readers[kind];
  if (real === true) return 'real';
  return masked === true ? 'masked' : undefined;
};
