import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { printedBy, realFilesFolder, realFilesSkip } from '../../../../test/support/real-files.ts';
import { isObject, type JsonObject, type JsonValue } from '../fhir/index.ts';
import { bundleOf } from './bundle.ts';

const packages = ['phenopackets', 'protobuf'];
const program = join(import.meta.dirname, '../../../../test/real-files/every_message.py');

/** Ids of the document and of interpretations; codes of units and of words for times, whose labels are kept. */
const unnamed =
  /^(?:id|interpretations\.id|metaData\..*|.*\.unit\.id|.*\.(?:onset|resolution|performed)\.ontologyClass\.id)$/;

describe('every value of a phenopacket is in a resource, or named', {
  skip: realFilesSkip(packages, 'python3'),
}, () => {
  test('documents with values in every field of the schema', (context) => {
    const paths = packages.map(realFilesFolder).join(':');
    const lines = printedBy('python3', [program], { PYTHONPATH: paths })?.trim().split('\n') ?? [];
    assert.equal(lines.length, 120);
    const sums = { values: 0, kept: 0, named: 0 };
    for (const line of lines) {
      const document: JsonObject = JSON.parse(line);
      const made = bundleOf(document);
      assert.ok(typeof made !== 'string', String(made));
      const kept = JSON.stringify(made.bundle);
      const named = (/left out: (.*)/.exec(made.warnings.join())?.[1] ?? '')
        .split(', ')
        .map((path) => path.replace(/^phenopacket\./, ''));
      for (const [path, text] of valuesOf(document)) {
        sums.values += 1;
        if (isIn(text, kept)) sums.kept += 1;
        else if (named.some((one) => path === one || path.startsWith(`${one}.`))) sums.named += 1;
        // Treatments have the time from the first start to the last end.
        else if (!/doseIntervals\.interval/.test(path)) assert.match(path, unnamed, text);
      }
      requireAbsence(document, made.bundle);
    }
    context.diagnostic(JSON.stringify(sums));
    assert.ok(sums.values > 40_000 && sums.kept > 5000);
  });
});

/** Lists the values that occur once in all documents, with their paths within a packet. */
function* valuesOf(value: JsonValue | undefined, path = ''): Generator<[path: string, text: string]> {
  if (Array.isArray(value)) for (const one of value) yield* valuesOf(one, path);
  else if (isObject(value))
    for (const [name, one] of Object.entries(value)) yield* valuesOf(one, path ? `${path}.${name}` : name);
  else if (typeof value === 'number' || (typeof value === 'string' && /\d/.test(value)))
    yield [path.replace(/^(?:proband|relatives|members)\./, ''), String(value)];
}

/** A code may have lost its prefix, a day of birth its time. */
const isIn = (text: string, kept: string): boolean =>
  [text, text.replace(/^[A-Z]+:/, ''), ...(/T.*Z$/.test(text) ? [text.slice(0, 10)] : [])].some((one) =>
    kept.includes(one),
  );

/** Requires that a feature or disease is absent in its resource if and only if it is in its packet. */
function requireAbsence({ proband, relatives, members, ...own }: JsonObject, { entry }: JsonObject): void {
  const list = (value: JsonValue | undefined): JsonObject[] =>
    Array.isArray(value) ? value.filter(isObject) : [];
  const packets = isObject(proband) ? [proband, ...list(relatives)] : members ? list(members) : [own];
  const expected = packets.flatMap(({ phenotypicFeatures, diseases }) =>
    [...list(phenotypicFeatures), ...list(diseases)].map(({ excluded }) => excluded === true),
  );
  const found = list(entry).flatMap(({ resource }) =>
    isObject(resource) && /\.(?:feature|disease)\d+$/.test(String(resource['id']))
      ? [JSON.stringify(resource).includes('"refuted"')]
      : [],
  );
  assert.deepEqual(found, expected);
}
