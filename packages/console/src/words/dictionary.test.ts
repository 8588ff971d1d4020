import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tables } from '@ploidy/formats';
import {
  attributeName,
  classText,
  sentenceOf,
  shownP,
  shownShare,
  shownValue,
  statedP,
  wordOf,
} from './dictionary.ts';

test('every column of the lake has a heading that is a phrase', () => {
  for (const table of tables.values())
    for (const { name } of table.columns) {
      const { heading } = wordOf(name);
      assert.match(heading, /^\p{L}[^_]*$/u, `${table.name}.${name}`);
    }
});

test('a name of a property of objects is a column like others', () => {
  assert.deepEqual(wordOf('constructor'), { heading: 'Constructor' });
  assert.equal(wordOf('__proto__').heading, 'Proto');
});

test('values are read without knowledge of the database', () => {
  assert.equal(shownValue('is_deceased', true, 'en-GB'), 'Yes');
  assert.equal(shownValue('is_deceased', 'false', 'en-GB'), 'No');
  assert.equal(shownValue('stage', '50283003'), 'Stage III');
  assert.equal(shownValue('birth_date', '1961-02-03', 'de-DE'), '3.2.1961');
  assert.equal(shownValue('onset_date', '1961-02', 'de-DE'), '1961-02', 'a month stays a month');
  assert.match(shownValue('start_date', '2026-05-04T15:31:10.000Z', 'en-GB'), /4 May 2026.*(?:UTC|GMT)/);
  assert.equal(shownValue('position', 140753336, 'en-GB'), '140753336', 'a place is no amount');
  assert.equal(shownValue('age', null), '');
});

test('a share has one decimal below three per cent, and is never rounded to nothing', () => {
  assert.equal(shownShare(0.5, 'en-GB'), '50%');
  assert.equal(shownShare(0.0123, 'en-GB'), '1.2%');
  assert.equal(shownShare(0.00000412, 'en-GB'), '0.00041%');
  assert.equal(shownShare(0, 'en-GB'), '0%');
});

test('an attribute whose name is its id has a phrase as its name', () => {
  const named = (id: string, name = id): string => attributeName({ id, name });
  assert.equal(named('OS_MONTHS'), 'Overall survival (months)');
  assert.equal(named('TUMOR_SITE_OF_MSI'), 'Tumor site OF MSI');
  assert.equal(named('TMB'), 'TMB');
  assert.equal(named('SEX', 'Sex at birth'), 'Sex at birth', 'the name of the file is kept');
  assert.equal(named('patient.gender', 'Gender'), 'Sex');
  assert.equal(named('constructor', 'Made by'), 'Made by');
});

test('terms, classes and words in capitals are read as words', () => {
  assert.equal(shownValue('consequence', 'splice_donor_variant'), 'Splice donor variant');
  assert.equal(shownValue('class', 'inframe, other'), 'In-frame, Other');
  assert.equal(classText('deletion'), 'Deep deletion');
  assert.equal(sentenceOf('LAB_TEST'), 'Lab test');
  assert.equal(sentenceOf('trastuzumab'), 'Trastuzumab');
});

test('a p-value has three digits, or a bound instead of 0', () => {
  assert.deepEqual([0, 0.04999, 4.168809e-5].map(shownP), ['< 1e-300', '0.0500', '4.17e-5']);
  assert.deepEqual([0, 0.04999].map(statedP), ['p < 1e-300', 'p = 0.0500']);
});
