import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentOf, type Facts, type WrittenFigure } from './document.ts';

const facts: Facts = {
  name: 'A <b> report',
  project: 'P & Q',
  version: 7,
  time: '1 March 2026',
  isMasked: true,
};
const figure: WrittenFigure = {
  ...{ title: 'Sex', caption: 'All "subjects"', address: 'https://h.example/projects/p?unit=sample' },
  ...{ drawings: ['<svg></svg>'], notes: ['n = 12'], rows: [{ Sex: '<script>', subjects: 3 }] },
};

test('a written report names its project, the version of the data and masked values', () => {
  const text = documentOf(facts, []);
  for (const words of [
    '<title>A &lt;b&gt; report</title>',
    'Project P &amp; Q, version 7 of its data',
    'masked',
  ])
    assert.ok(text.includes(words), words);
  assert.ok(!documentOf({ ...facts, isMasked: false }, []).includes('masked'));
});

test('texts and values cannot become elements of the document', () => {
  const hostile = '<img src=x onerror=alert(1)>\n\nTwo <script>';
  const text = documentOf(facts, [{ text: hostile }, figure]);
  assert.ok(!/<(?:img|script)/.test(text));
  assert.equal(text.match(/<p>/g)?.length, 6);
  assert.ok(text.includes('<svg></svg>') && text.includes('All &quot;subjects&quot;'));
});

test('long data are cut, and the number of all rows is given', () => {
  const rows = Array.from({ length: 501 }, (_, at) => ({ at }));
  const text = documentOf(facts, [{ ...figure, rows }]);
  assert.ok(text.includes('Data: first 500 of 501 rows'));
  assert.equal(text.match(/<td>/g)?.length, 500);
});
