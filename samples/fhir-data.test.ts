import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Manifest } from './generator/project.ts';

const folder = join(import.meta.dirname, 'data');
const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

interface Resource {
  resourceType: string;
  id: string;
  subject?: { reference: string };
  identifier?: { value: string }[];
  entry?: { resource: Resource }[];
}

function textOf(path: string): string {
  const bytes = readFileSync(join(folder, path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

const filesOf = (kind: string): string[] =>
  manifest.files.filter((file) => file.kind === kind).map(({ path }) => path);

function resourcesOf(path: string): Resource[] {
  const text = textOf(path);
  if (!path.includes('.ndjson'))
    return (JSON.parse(text) as Resource).entry?.map(({ resource }) => resource) ?? [];
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Resource);
}

const resources = filesOf('fhir').flatMap(resourcesOf);
const references = new Set(resources.map(({ resourceType, id }) => `${resourceType}/${id}`));

test('no id is given twice and the manifest counts the resources', () => {
  assert.equal(references.size, resources.length);
  for (const { path, kind, count } of manifest.files) {
    if (kind === 'fhir') assert.equal(resourcesOf(path).length, count, path);
  }
});

test('every reference leads to a resource and every subject is a patient', () => {
  for (const resource of resources) {
    for (const [, reference = ''] of JSON.stringify(resource).matchAll(/"reference":"([^"]*)"/g)) {
      assert.ok(references.has(reference), `${resource.id} → ${reference}`);
    }
    if (resource.resourceType !== 'Patient')
      assert.match(resource.subject?.reference ?? '', /^Patient\//, resource.id);
  }
});

test('ids are FHIR ids, dates and moments are real ones', () => {
  for (const resource of resources) {
    assert.match(resource.id, /^[A-Za-z0-9.-]{1,64}$/);
    for (const [date] of JSON.stringify(resource).matchAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g)) {
      assert.ok(!Number.isNaN(Date.parse(date)), `${resource.id}: ${date}`);
    }
  }
});

test('twenty patients, each with one sample that a specimen names', () => {
  const specimens = resources.filter(({ resourceType }) => resourceType === 'Specimen');
  const owners = new Map(
    specimens.flatMap(({ identifier = [], subject }) =>
      identifier.map(({ value }) => [value, subject?.reference]),
    ),
  );
  const columns = filesOf('vcf').flatMap(
    (path) => /^#CHROM.*$/m.exec(textOf(path))?.[0].split('\t').slice(9) ?? [],
  );
  assert.equal(columns.length, 20);
  assert.equal(new Set(columns.map((column) => owners.get(column))).size, 20);
  assert.ok(columns.every((column) => references.has(owners.get(column) ?? '')));
});
