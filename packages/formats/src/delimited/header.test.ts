import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenAttributes } from '../omic/given-attributes.ts';
import { attributesOf, Header, isNumber, jsonOf } from './header.ts';

test('a column is found by its name, in any case and with any blanks around it', () => {
  const header = new Header([
    '\ufeffGene',
    ' copy_number',
    'sample_id ',
    '\u00a0status\u00a0',
    '\tchromosome',
  ]);
  assert.deepEqual(header.names, ['Gene', 'copy_number', 'sample_id', 'status', 'chromosome']);
  const places = ['gene', 'Copy_Number', 'sample_id', 'status', 'chromosome'].map((name) =>
    header.place(name),
  );
  assert.deepEqual(places, [0, 1, 2, 3, 4]);
  assert.equal(header.place('sample'), -1);
});

test('blanks, dots and dashes in a name are as good as underscores, unless another column is called so exactly', () => {
  for (const name of ['Sample ID', 'sample-id', 'Sample.ID', 'SAMPLE  -  ID', 'sample_id'])
    assert.equal(new Header(['x', name]).place('sample_id'), 1, name);
  assert.equal(new Header(['Sample ID', 'sample_id']).place('sample_id'), 1);
  assert.equal(new Header(['sample', 'Sample ID']).place('sample_id', 'sample'), 1);
  assert.equal(new Header(['loc_start', 'gene id']).place('loc.start', 'gene_id'), 0);
  // SampleID is a column of another format.
  for (const name of ['SampleID', 'sample', 'sample_id2', 'sample/id'])
    assert.equal(new Header([name]).place('sample_id'), -1, name);
});

test('a text of any number of digits is classified as a number in linear time', () => {
  const digits = '0'.repeat(2_000_000);
  assert.ok(!isNumber(`${digits}x`));
  assert.ok(isNumber(`${digits}.5`) && isNumber('1.') && isNumber('.5') && isNumber('-1e5'));
});

test('numbers of other columns keep their digits, and ids and versions stay as they are written', () => {
  const values = ['1.10', '0012', '1E5', '1e-05', '-0.50', '12345678901234567890', '3', 'T1'];
  const attributes = attributesOf(new Header(values.map((_, place) => `c${place}`)), []);
  assert.equal(
    attributes(values),
    '{"c0":1.10,"c1":"0012","c2":"1E5","c3":1e-05,"c4":-0.50,"c5":"12345678901234567890","c6":3,"c7":"T1"}',
  );
});

test('a given JSON object keeps the digits of its numbers', () => {
  const text = '{"id":12345678901234567890,"v":1.10,"inner":[{"x":1e5}]}';
  assert.equal(jsonOf(givenAttributes([text], 0)), text);
});

test('a column is kept whatever its name is', () => {
  const attributes = attributesOf(new Header(['a', '__proto__', 'constructor']), []);
  assert.equal(attributes(['x', '7', 'c'], { b: 1 }), '{"b":1,"a":"x","__proto__":7,"constructor":"c"}');
});
