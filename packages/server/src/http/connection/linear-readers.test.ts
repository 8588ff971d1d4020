/** Readers of request input run in linear time: no input blocks the event loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validatePolicy } from '@ploidy/policy';
import { listConditions } from '../../access/filter.ts';
import { isUtf8Encoded } from '../../base/utf8-encoded.ts';
import { readQuery, readStringQuery } from '../../domains/analysis/analytics/read/read-query.ts';
import { readXml } from '../../domains/authentication/saml/messages/xml.ts';
import { readCookie } from '../../domains/authentication/sign-in/sessions/browser-sessions.ts';
import { readForm } from './bodies.ts';

const repeated = (count: number, part: (at: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(between);
const filter = (where: string) => `SELECT patients FROM patient WHERE ${where}`;
const paths = { text: 'body/query', options: 'body/options' };

/** Readers by name; each is given an input of a size, and refusals count as reads. */
const readers: Record<string, (size: number) => () => unknown> = {
  'fields of a form': (size) => {
    const text = repeated(size, (at) => `a${at}=1`, '&');
    return () => readForm(text);
  },
  'one field of a form': (size) => {
    const text = `a=${repeated(size, () => '%41')}`;
    return () => readForm(text);
  },
  'escapes of an address': (size) => {
    const text = repeated(size, () => '%c3%28a');
    return () => isUtf8Encoded(text);
  },
  'JSON body': (size) => {
    const text = `{${repeated(size, (at) => `"a${at}":[${at},{"b":null}]`, ',')}}`;
    return () => JSON.parse(text);
  },
  cookies: (size) => {
    const text = repeated(size, (at) => `a${at}=b`, '; ');
    return () => readCookie(text, 'session');
  },
  'comparisons of a query text': (size) => {
    const text = filter(repeated(size, (at) => `patient.demographics.age > ${at % 90}`, ' AND '));
    return () => readStringQuery(text, undefined, paths);
  },
  'parentheses of a query text': (size) => {
    const text = filter('('.repeat(size));
    return () => readStringQuery(text, undefined, paths);
  },
  'quotes of a query text': (size) => {
    const text = filter(`variant.gene = ${"'a".repeat(size)}`);
    return () => readStringQuery(text, undefined, paths);
  },
  'list of a query': (size) => {
    const value = Array.from({ length: size }, (_, at) => `G${at}`);
    return () => readQuery({ target: 'patients', where: { variant: { gene: value } } }, 'body');
  },
  'rules of a policy': (size) => {
    const of = Array.from({ length: 3 }, (_, at) => ({ comparison: 'endsWith', value: `${at}` }));
    const rules = Array.from({ length: size }, () => ({ 'resource.id': { comparison: 'all', of } }));
    return () => [validatePolicy({ rules: { readData: rules } }), listConditions(rules as never)];
  },
  'values of a policy': (size) => {
    const value = Array.from({ length: size }, (_, at) => `v${at}`);
    const rule = {
      'resource.id': { comparison: 'in', value },
      'resource.dataset': { comparison: 'in', value },
    };
    return () => [validatePolicy({ rules: { readData: [rule] } }), listConditions([rule] as never)];
  },
  'elements of XML': (size) => {
    const text = `<a xmlns="urn:x">${repeated(size, (at) => `<b${at} c="d"/>`)}</a>`;
    return () => readXml(text, { bytesMax: 10_000_000, elementsMax: 100_000, allowsComments: false });
  },
};

/** Returns the minimum processor time of several runs, in microseconds. */
function cost(read: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    try {
      read();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}

for (const [name, reader] of Object.entries(readers))
  test(`${name}: four times the input takes about four times as long, not sixteen`, () => {
    const [small, large] = [reader(5000), reader(20_000)];
    cost(small);
    // Half a millisecond is noise.
    const [one, four] = [Math.max(500, cost(small)), cost(large)];
    assert.ok(four < 10 * one, `${one} µs, then ${four} µs`);
  });
