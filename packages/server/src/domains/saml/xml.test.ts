import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXml } from './xml.ts';

const limits = { bytesMax: 512 * 1024, elementsMax: 1500, allowsComments: true };
const read = (text: string) => readXml(text, limits);

test('what begins as a document type and is none is refused before the parser looks for its end', () => {
  // It takes a time that grows with the square of the blanks.
  const blanks = ' '.repeat(200_000);
  for (const text of [`<!${blanks}`, `<a><!${blanks}</a>`, `<a/><!-${blanks}`, `<![${blanks}`, '<!x><a/>'])
    assert.throws(() => read(text), /document type/);
  assert.equal(read('<!-- a comment --><a><![CDATA[<b/>]]></a>').text, '<b/>');
});

test('more attributes than messages have are refused, wherever they are; those of all groups that somebody can have fit', () => {
  const names = Array.from({ length: 4501 }, (_, number) => `a${number}`);
  for (const attributes of [names.map((name) => `${name}=""`), names.map((name) => `${name} = ''`)])
    assert.throws(() => read(`<a ${attributes.join(' ')}/>`), /too many attributes/);
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const values = '<v xsi:type="string" lang="en">CN=a,OU=b,DC=c,DC=d</v>'.repeat(1015);
  assert.equal(read(`<a ${xsi}>${values}</a>`).children.length, 1015);
});

test('more names of elements than messages and metadata have are refused: the parser looks for the end of each', () => {
  const named = (length: number) => Array.from({ length }, (_, number) => `<a${number}></a${number}>`);
  assert.throws(() => read(`<a>${named(500).join('')}</a>`), /too many names/);
  assert.equal(read(`<a>${named(499).join('')}</a>`).children.length, 499);
});
