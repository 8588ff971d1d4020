import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { target } from './extract.ts';
import { readReference, type Target } from './index.ts';

const none = new Map<string, Target>();

test('relative, absolute and versioned references name the same resource', () => {
  const patient = { type: 'Patient', id: '1' };
  for (const text of [
    'Patient/1',
    'http://example.org/fhir/Patient/1',
    'https://example.org/a/b/R4/Patient/1',
    'Patient/1/_history/7',
    'https://example.org/fhir/Patient/1/_history/7',
  ]) {
    assert.deepEqual(readReference(text, none), patient, text);
  }
});

test('a URN names the resource of its entry, or one with that id', () => {
  const uuid = 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0';
  assert.deepEqual(readReference(uuid, none), {
    type: undefined,
    id: '0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0',
  });
  const known = new Map([[uuid, { type: 'Patient', id: 'p1' }]]);
  assert.deepEqual(readReference(uuid, known), { type: 'Patient', id: 'p1' });
  assert.deepEqual(readReference('urn:oid:1.2.3', none), { type: undefined, id: '1.2.3' });
});

test('contained, conditional and unreadable references name nothing', () => {
  for (const text of [
    '#p1',
    '#',
    '',
    'Patient',
    'Patient/',
    'Patient?identifier=a|b',
    'patient/1',
    'Patient/a b',
    `Patient/${'x'.repeat(256)}`,
    `http://${'a/'.repeat(2000)}Patient/1`,
    'Patient/1\n',
    'Patient/1 ',
  ]) {
    assert.equal(readReference(text, none), undefined, text);
  }
});

test('a text that is too long for a reference is not kept for the resources behind it', () => {
  setFlagsFromString('--expose-gc');
  const kept = (): number => {
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed;
  };
  const reading = {
    resourceType: 'Observation',
    fullUrls: none,
    unreadable: () => undefined,
    further: () => undefined,
    unknown: () => undefined,
  };
  const columns = Array.from({ length: 20 }, () => target('subject'));
  const before = kept();
  for (const [number, read] of columns.entries()) {
    const resource = JSON.parse(`{"subject":{"reference":"${number}${'/'.repeat(5_000_000)}"}}`);
    assert.equal(read(resource, reading), undefined);
  }
  const grown = kept() - before;
  assert.ok(grown < 50_000_000, `${grown} bytes`);
});
