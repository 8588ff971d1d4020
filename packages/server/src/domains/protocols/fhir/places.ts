import { literal } from '@ploidy/engine';
import type { Place } from '@ploidy/formats/fhir-r4';

/**
 * SQL over the column `data`: lists of the values at a place of a resource. The statements are fixed but for parameters, and
 * no value makes them fail: dates and numbers that cannot be read are NULL.
 */

/** Builds the list of the elements at a place, as JSON. `inside`: a path below it, such as `.coding[*]`. */
export function elements(place: Place, inside = ''): string {
  const path = pathOf(place);
  if (place.having === undefined) return listAt('json_extract', path + inside);
  const chosen = having(place, listAt('json_extract', path));
  if (inside === '') return chosen;
  return `flatten(list_transform(${chosen}, lambda h: ${listAt('json_extract', `$${inside}`, 'h')}))`;
}

/** Builds the list of the texts at a path below a place. */
export function texts(place: Place, inside = ''): string {
  const path = pathOf(place);
  if (place.having === undefined) return listAt('json_extract_string', path + inside);
  const chosen = having(place, listAt('json_extract', path));
  return `flatten(list_transform(${chosen}, lambda h: ${listAt('json_extract_string', `$${inside}`, 'h')}))`;
}

const pathOf = ({ steps }: Place): string =>
  `$${steps.map(({ name, isList }) => `.${name}${isList ? '[*]' : ''}`).join('')}`;

/** Builds a list: a path without a wildcard has one value. */
function listAt(read: string, path: string, of = 'data'): string {
  const found = `${read}(${of}, ${literal(path)})`;
  return path.includes('[*]') ? `coalesce(${found}, [])` : `[${found}]`;
}

function having({ having: chosen }: Place, list: string): string {
  if (!chosen) return list;
  return `list_filter(${list}, lambda g: ${member('g', chosen.member)} = ${literal(chosen.value)})`;
}

/** Builds the text of a member of an element. */
export const member = (element: string, name: string): string =>
  `json_extract_string(${element}, ${literal(`$.${name}`)})`;

/** Builds the condition that some value of a list, which is not NULL, passes a test. */
export const some = (list: string, test: (value: string) => string): string =>
  `(len(list_filter(${list}, lambda e: e IS NOT NULL AND ${test('e')})) > 0)`;

/** Builds the text by which texts are compared: without case and accents. */
export const folded = (text: string): string => `strip_accents(lower(${text}))`;

const dateForm = literal(
  '\\d{4}(-\\d\\d(-\\d\\d(T\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)?)?)?)?',
);

/** Builds a date without a leap second, which calendars of computers lack: the second before. */
const plainDate = (date: string): string => `regexp_replace(${date}, '(T..:..):60', '\\1:59')`;

/** Builds the start of a date in microseconds since 1970, UTC; NULL for a text that is no date of R4. */
export const startOf = (date: string): string =>
  `epoch_us(TRY_CAST(CASE WHEN NOT regexp_full_match(${date}, ${dateForm}) THEN NULL
    WHEN length(${date}) = 4 THEN ${date} || '-01-01' WHEN length(${date}) = 7 THEN ${date} || '-01'
    ELSE ${plainDate(date)} END AS TIMESTAMPTZ))`;

/** Builds the end of a date: the first moment that is no part of it. */
export const endOf = (date: string): string => `CASE WHEN ${startOf(date)} IS NULL THEN NULL
    WHEN length(${date}) = 4 THEN epoch_us(TRY_CAST(${date} || '-01-01' AS DATE) + INTERVAL 1 YEAR)
    WHEN length(${date}) = 7 THEN epoch_us(TRY_CAST(${date} || '-01' AS DATE) + INTERVAL 1 MONTH)
    WHEN length(${date}) = 10 THEN ${startOf(date)} + 86400000000
    WHEN contains(${date}, '.') THEN ${startOf(date)} + 1
    ELSE ${startOf(date)} + 1000000 END`;

/**
 * Builds a reference as `Type/id`: without the server and version, and with the prefix that the ingestion gave all ids. Other
 * forms, such as `urn:uuid:` and `#contained`, stay.
 */
export const plainReference = (reference: string): string =>
  `regexp_replace(regexp_replace(${reference}, '/_history/[^/]+$', ''), '^(?:.*/)?([A-Z][A-Za-z]+/)([^/]+)$',
    '\\1' || ${idPrefix} || '\\2')`;

/** Prefix of the id of a resource that its source has not. */
const idPrefix = `CASE WHEN ends_with(id, json_extract_string(data, '$.id'))
    THEN left(id, length(id) - length(json_extract_string(data, '$.id'))) ELSE '' END`;
