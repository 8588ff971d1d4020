import { hasWords, tables } from '../../tables/index.ts';
import { identify, type JsonObject, mapResource, patientOf, type Reading } from '../index.ts';

export interface MappedResource {
  patientId: string | undefined;
  /** Rows by table, as objects without their empty columns. */
  rows: Record<string, Record<string, unknown>[]>;
  /** `element system|code display` */
  codings: string[];
  /** `name specimen` */
  samples: string[];
  /** Id of the Medication that names the substance. */
  medicationOf: string | undefined;
  /** Paths that could not be read. */
  unreadable: string[];
  /** `table.column` of values that are words instead of a code. */
  words: string[];
}

/** Rows of a resource, for tests. */
export function mapped(resource: JsonObject): MappedResource {
  const identity = identify(resource);
  if (typeof identity === 'string') throw new Error(identity);
  const found: MappedResource = {
    patientId: undefined,
    rows: {},
    codings: [],
    samples: [],
    medicationOf: undefined,
    unreadable: [],
    words: [],
  };
  const reading: Reading = {
    resourceType: identity.type,
    fullUrls: new Map(),
    unreadable: (path, expected) => found.unreadable.push(`${path}: ${expected}`),
  };
  found.patientId = patientOf(resource, identity, reading);
  mapResource(resource, identity, found.patientId, reading, {
    row(table, values) {
      const names =
        tables
          .get(table)
          ?.columns.map(({ name }) => name)
          .filter((name) => name !== 'data') ?? [];
      const words = hasWords(tables.get(table) ?? { columns: [] }) ? String(values.at(-1)) : ',';
      found.words.push(...words.split(',').flatMap((name) => (name === '' ? [] : [`${table}.${name}`])));
      if (hasWords(tables.get(table) ?? { columns: [] })) names.push('_words');
      if (names.length !== values.length)
        throw new Error(`${table}: ${values.length} values for ${names.length} columns`);
      const filled = names
        .map((name, index) => [name, values[index]])
        .filter(([name, value]) => name !== '_words' && value !== undefined);
      found.rows[table] ??= [];
      found.rows[table].push(Object.fromEntries(filled));
    },
    coding: (element, { system, code, display }) =>
      found.codings.push(`${element} ${system}|${code} ${display}`),
    sample: (name, specimenId) => found.samples.push(`${name} ${specimenId}`),
    medicationOf: (medicationId) => {
      found.medicationOf = medicationId;
    },
    medication: () => undefined,
  });
  return found;
}

export const concept = (code: string, system = 's', display = `${code} display`) => ({
  coding: [{ system, code, display }],
  text: `${code} text`,
});
