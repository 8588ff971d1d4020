import { literal } from '@ploidy/engine';
import type { SearchParameter } from '@ploidy/formats/fhir-r4';
import type { SmartScope } from '../../../access/smart-scopes.ts';
import { Parameters } from '../../analysis/analytics/index.ts';
import type { Comparison } from './comparison.ts';
import { condition, isOfPatient, referencesOf, stringsOf } from './conditions.ts';
import { elements, folded, plainReference, texts } from './places.ts';
import { limitsOf, numberOf } from './ranges.ts';
import { type Criterion, type Linked, readSearch, type Search, type SortKey } from './search.ts';

/** Values of the last match of a page, in the order of the keys: the next page begins behind it. */
export type Cursor = readonly (string | null)[];

/** Rows of a statement: a resource, and its sort keys. */
export interface ResourceRow {
  type: string;
  id: string;
  data: string;
  keys: (string | null)[];
  /** Rows that the page could have, and one more if there are more. */
  found: number;
}

/** Characters of the resources of a page: it ends early beyond. */
const pageCharactersMax = 4_000_000;

/** Builds a statement over the resources that a caller sees. `relation`: their table, without masked rows. */
export class Statement {
  readonly parameters = new Parameters();
  readonly #how: Comparison;

  constructor(base: string, now: number) {
    this.#how = { parameters: this.parameters, base, now };
  }

  /** Builds the page of a search: one match more than its size, so that the last page is known. */
  page(search: Search, cursor: Cursor | undefined): string {
    const keys = [
      ...search.sort.map((key) => this.#keyOf(key)),
      { sql: 'id', type: 'VARCHAR', descending: false },
    ];
    const conditions = [this.#matching(search), ...(cursor ? [this.#behind(keys, cursor)] : [])];
    return this.#limited(conditions, keys, search.count + 1);
  }

  /** Builds the number of matches. */
  count(search: Search): string {
    return `SELECT count(*) AS total FROM resources WHERE ${this.#matching(search)}`;
  }

  /** Builds the page of all resources of a patient, in the order of types and ids. */
  everything(patient: string, types: readonly string[], size: number, cursor: Cursor | undefined): string {
    const conditions = [
      `patient_id = ${this.#text(patient)}`,
      `resource_type IN (${types.map((type) => this.#text(type)).join(', ')})`,
      ...(cursor ? [this.#behind(unsorted, cursor)] : []),
    ];
    return this.#limited(conditions, unsorted, size + 1);
  }

  /** Builds the resource of a type and id. */
  one(type: string, id: string): string {
    const wanted = this.#text(id);
    const ofPatient = type === 'Patient' ? [`patient_id = ${wanted}`] : [];
    return this.#limited(
      [`resource_type = ${this.#text(type)}`, `id = ${wanted}`, ...ofPatient],
      unsorted,
      1,
    );
  }

  /** Builds the resources of these names: `Type/id`, or an id alone. */
  named(names: readonly string[], max: number): string {
    const list = this.#list(names);
    const ids = this.#list(names.map((name) => name.slice(name.indexOf('/') + 1)));
    const isNamed = `(list_contains(${list}, resource_type || '/' || id) OR list_contains(${list}, id))`;
    return this.#limited([`id IN (SELECT unnest(${ids}))`, isNamed], unsorted, max + 1);
  }

  /** Builds the resources of a type whose references of a parameter name one of these. */
  naming(type: string, parameter: SearchParameter, names: readonly string[], max: number): string {
    const refers = condition(parameter, undefined, names, this.#how);
    return this.#limited([`resource_type = ${this.#text(type)}`, refers], unsorted, max + 1);
  }

  /** Builds the condition that a resource is within the scopes of a token. `patient`: that of the scopes `patient/`. */
  within(scopes: readonly SmartScope[], patient: string | undefined): string {
    const tests = scopes.map((scope) => {
      if (scope.level !== 'patient') return this.#inScope(scope);
      // Only what is about the patient: a resource that merely names the patient may be about another.
      return patient === undefined
        ? 'false'
        : `(patient_id = ${this.#text(patient)} AND ${this.#inScope(scope)})`;
    });
    return `(${['false', ...tests].join(' OR ')})`;
  }

  #inScope({ type, query }: SmartScope): string {
    if (query === '') return type === '*' ? 'true' : `resource_type = ${this.#text(type)}`;
    const { criteria } = readSearch(type, [...new URLSearchParams(query)], false);
    // Other resources would be within scopes of their own.
    if (type === '*' || criteria.some(({ chained, referring }) => chained || referring)) return 'false';
    return this.#matching({ type, criteria });
  }

  #matching({ type, criteria }: Pick<Search, 'type' | 'criteria'>): string {
    const all = criteria.map((criterion) => this.#criterion(type, criterion));
    return [`resource_type = ${this.#text(type)}`, ...all].join(' AND ');
  }

  #criterion(type: string, { parameter, modifier, values, chained, referring }: Criterion): string {
    if (!parameter) {
      const ids = values
        .map((value) => this.#text(value.startsWith(`${type}/`) ? value.slice(type.length + 1) : value))
        .join(', ');
      return type === 'Patient' ? `(id IN (${ids}) AND patient_id IN (${ids}))` : `id IN (${ids})`;
    }
    if (referring) return this.#referred(type, parameter, this.#linked(referring));
    if (!chained) return condition(parameter, modifier, values, this.#how);
    const targets = this.#linked(chained);
    if (isOfPatient(parameter) && chained.type === 'Patient') return `patient_id IN (SELECT id ${targets})`;
    const names = `(SELECT coalesce(list(id), []) ${targets})`;
    return `(${parameter.places.map((place) => `list_has_any(${idsOf(referencesOf(place), chained.type)}, ${names})`).join(' OR ')})`;
  }

  #linked({ type, criterion }: Linked): string {
    return `FROM resources WHERE ${this.#matching({ type, criteria: [criterion] })}`;
  }

  /** Builds the condition that resources, which `sources` chooses, refer to this one. */
  #referred(type: string, parameter: SearchParameter, sources: string): string {
    const lists = parameter.places.map((place) => idsOf(referencesOf(place), type));
    const all = lists.reduce((one, other) => `list_concat(${one}, ${other})`);
    const ids = isOfPatient(parameter) && type === 'Patient' ? '[patient_id]' : all;
    return `id IN (SELECT unnest(${ids}) ${sources})`;
  }

  /** Rows in the order of the keys; `found` counts them before the page ends early. */
  #limited(conditions: readonly string[], keys: readonly Key[], max: number): string {
    const columns = keys.map(({ sql }, at) => `${sql} AS k${at}`).join(', ');
    const order = keys
      .map(({ descending }, at) => `k${at} ${descending ? 'DESC' : 'ASC'} NULLS LAST`)
      .join(', ');
    const texts = keys.map((_, at) => `CAST(k${at} AS VARCHAR)`).join(', ');
    return `SELECT resource_type AS type, id, data, keys, found FROM (
        SELECT *, [${texts}] AS keys, count(*) OVER () AS found, row_number() OVER (ORDER BY ${order}) AS place,
          sum(length(data)) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (SELECT resource_type, id, data, ${columns} FROM resources
          WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${max}))
      WHERE coalesce(before, 0) < ${pageCharactersMax} ORDER BY place`;
  }

  /** Builds the condition that a row is behind the last one of the page before. */
  #behind(keys: readonly Key[], cursor: Cursor): string {
    const [key, ...rest] = keys;
    if (!key) return 'false';
    const value = cursor[cursor.length - keys.length] ?? null;
    const later = this.#behind(rest, cursor);
    if (value === null) return `(${key.sql} IS NULL AND ${later})`;
    const wanted = this.parameters.add(value, key.type);
    const compare = key.descending ? '<' : '>';
    return `(${key.sql} ${compare} ${wanted} OR ${key.sql} IS NULL OR (${key.sql} = ${wanted} AND ${later}))`;
  }

  #keyOf({ parameter, descending }: SortKey): Key {
    if (!parameter) return { sql: 'id', type: 'VARCHAR', descending };
    const lists = parameter.places.flatMap((place): string[] => {
      if (parameter.kind === 'string')
        return stringsOf(place).map((list) => `list_transform(${list}, lambda k: ${folded('k')})`);
      if (parameter.kind === 'date') {
        const list = place.type === 'Period' ? elements(place) : texts(place);
        return [`list_transform(${list}, lambda k: ${limitsOf(place.type, 'k')[0]})`];
      }
      if (parameter.kind === 'number')
        return [`list_transform(${texts(place)}, lambda k: TRY_CAST(k AS DOUBLE))`];
      if (parameter.kind === 'quantity')
        return [`list_transform(${elements(place)}, lambda k: ${numberOf('k')})`];
      return [texts(place, keyTexts[place.type] ?? '')];
    });
    const all = lists.reduce((one, other) => `list_concat(${one}, ${other})`);
    const type =
      parameter.kind === 'date'
        ? 'BIGINT'
        : ['number', 'quantity'].includes(parameter.kind)
          ? 'DOUBLE'
          : 'VARCHAR';
    return { sql: `list_${descending ? 'max' : 'min'}(${all})`, type, descending };
  }

  #list(values: readonly string[]): string {
    return `from_json(${this.#text(JSON.stringify(values))}, '["VARCHAR"]')`;
  }

  #text(value: string): string {
    return this.parameters.add(value, 'VARCHAR');
  }
}

interface Key {
  sql: string;
  type: string;
  descending: boolean;
}

/** Texts by which tokens and references are sorted. */
const keyTexts: Readonly<Record<string, string>> = {
  CodeableConcept: '.coding[*].code',
  Coding: '.code',
  Identifier: '.value',
  ContactPoint: '.value',
  Reference: '.reference',
};

const unsorted: readonly Key[] = ['resource_type', 'id'].map((sql) => ({
  ...{ sql, type: 'VARCHAR', descending: false },
}));

/** Builds the ids of the references to a type. */
function idsOf(references: string, type: string): string {
  const plain = plainReference('k');
  const start = literal(`${type}/`);
  return `list_transform(${references}, lambda k: CASE
    WHEN starts_with(k, 'urn:') THEN regexp_replace(k, '^urn:(uuid|oid):', '')
    WHEN starts_with(${plain}, ${start}) THEN substr(${plain}, ${type.length + 2}) END)`;
}
