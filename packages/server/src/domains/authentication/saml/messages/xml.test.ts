import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXml } from './xml.ts';

const limits = { bytesMax: 512 * 1024, elementsMax: 1500, allowsComments: true };
const read = (text: string) => readXml(text, limits);

test('a malformed document type is refused before the parser searches for its end', () => {
  // The search is quadratic in the blanks.
  const blanks = ' '.repeat(200_000);
  for (const text of [`<!${blanks}`, `<a><!${blanks}</a>`, `<a/><!-${blanks}`, `<![${blanks}`, '<!x><a/>'])
    assert.throws(() => read(text), /document type/);
  assert.equal(read('<!-- a comment --><a><![CDATA[<b/>]]></a>').text, '<b/>');
});

test('more attributes than in messages are refused anywhere; those of all possible groups of a user fit', () => {
  const names = Array.from({ length: 4501 }, (_, number) => `a${number}`);
  for (const attributes of [names.map((name) => `${name}=""`), names.map((name) => `${name} = ''`)])
    assert.throws(() => read(`<a ${attributes.join(' ')}/>`), /too many attributes/);
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const values = '<v xsi:type="string" lang="en">CN=a,OU=b,DC=c,DC=d</v>'.repeat(1015);
  assert.equal(read(`<a ${xsi}>${values}</a>`).children.length, 1015);
});

test('more distinct names of elements than in messages and metadata are refused: the parser searches the end of each', () => {
  const named = (length: number) => Array.from({ length }, (_, number) => `<a${number}></a${number}>`);
  assert.throws(() => read(`<a>${named(500).join('')}</a>`), /too many names/);
  assert.equal(read(`<a>${named(499).join('')}</a>`).children.length, 499);
});
