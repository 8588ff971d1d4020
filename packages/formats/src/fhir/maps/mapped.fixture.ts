import { hasWords, tables } from '../../tables/index.ts';
import { identify, type JsonObject, mapResource, patientOf, type Reading, readElements } from '../index.ts';

export interface MappedResource {
  patientId: string | undefined;
  /** Rows by table, as objects without their empty columns. */
  rows: Record<string, Record<string, unknown>[]>;
  /** `path system|code display` */
  codings: string[];
  /** `name specimen` */
  samples: string[];
  /** Id of the Medication that names the substance. */
  medicationOf: string | undefined;
  /** `path count` of elements that are in no column. */
  further: string[];
  /** Paths of primitives without a value. */
  unknown: string[];
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
    further: [],
    unknown: [],
    unreadable: [],
    words: [],
  };
  const reading: Reading = {
    resourceType: identity.type,
    fullUrls: new Map(),
    unreadable: (path, expected) => found.unreadable.push(`${path}: ${expected}`),
    further: (path, count) => found.further.push(`${path} ${count}`),
    unknown: (path) => found.unknown.push(path),
    hasExtended: true,
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
    sample: (name, specimenId) => found.samples.push(`${name} ${specimenId}`),
    medicationOf: (medicationId) => {
      found.medicationOf = medicationId;
    },
    medication: () => undefined,
  });
  readElements(resource, identity.type, {
    coding: (path, { system, code, display }) => found.codings.push(`${path} ${system}|${code} ${display}`),
    further: (path, count) => found.further.push(`${path} ${count}`),
  });
  return found;
}

export const concept = (code: string, system = 's', display = `${code} display`) => ({
  coding: [{ system, code, display }],
  text: `${code} text`,
});
