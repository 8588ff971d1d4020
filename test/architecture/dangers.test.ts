/**
 * A caller's text cannot turn anything in the packages against the service: no slow pattern, no code or program from text, no
 * other way out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Danger, dangersIn, dangersOfHouse } from './dangers.ts';
import { slownessOf } from './slow-patterns.ts';

const house = dangersOfHouse();
const found = (kind: Danger['kind']): Danger[] => house.filter((one) => one.kind === kind);
const inService = ({ path }: Danger): boolean => !/^packages\/(?:cli|client|console)\//.test(path);
const files = (dangers: Danger[]): string[] => [...new Set(dangers.map(({ path }) => path))].sort();
const at = ({ path, line, what }: Danger): string => `${path}:${line} ${what}`;

test('every pattern takes linear time, whatever text it is given', () => {
  const patterns = found('pattern');
  assert.ok(patterns.length > 500);
  const slow = patterns.flatMap((one) => {
    const why = slownessOf(one.what);
    return why === undefined ? [] : [`${at(one)}: ${why}`];
  });
  assert.deepEqual(slow, []);
});

test('patterns that take longer are distinguished from those that do not', () => {
  const slow = [
    '/(a+)+$/',
    '/\\s+$/',
    '/^.*,.*,$/',
    '/^(?:\\w|\\d)*$/',
    '/^(?:aa|a)+$/',
    '/"(?:[^"]|\\\\.)*"$/',
  ];
  for (const pattern of slow) assert.ok(slownessOf(pattern), pattern);
  const linear = ['/^a+b$/', '/(?<!\\s)\\s+$/', '/^[^,]*,[^,]*$/', '/^(?:[^"\\\\]|\\\\.)*$/'];
  for (const pattern of linear) assert.equal(slownessOf(pattern), undefined, pattern);
});

// asvs: 1.2.9
test('patterns are built of constants alone', () => {
  assert.deepEqual(files(found('built pattern')), [
    'packages/converters/src/tables/row-checks.ts',
    'packages/engine/src/guard/rewrite/zoned-timestamps.ts',
    'packages/formats/src/fasta/title.ts',
    'packages/formats/src/omic/maf/evidence.ts',
    'packages/formats/src/statement-text/tokens.ts',
    'packages/formats/src/vcf/foreign/protein-change.ts',
    'packages/formats/src/vcf/header.ts',
    'packages/formats/src/vcf/recognise.ts',
    'packages/formats/src/vcf/record.ts',
    // Addresses of routes.
    'packages/server/src/http/server.ts',
  ]);
});

// asvs: 1.2.5, 1.3.2
test('no text becomes code, and no program is started but our own and the browser of the command line', () => {
  assert.deepEqual(found('code').map(at), []);
  const programs = found('program');
  assert.deepEqual(files(programs), [
    'packages/cli/src/sign-in/browser-sign-in.ts',
    'packages/engine/src/limited-process.ts',
  ]);
  // Without a shell: neither `exec` nor its kin.
  assert.deepEqual(new Set(programs.map(({ what }) => what)), new Set(['spawn']));
});

// asvs: 13.2.4
test('requests of the service leave by the platform alone, or to a cluster that the operator names', () => {
  assert.deepEqual(files(found('network').filter(inService)), [
    // `PLOIDY_TRINO_URL`.
    'packages/engine/src/cluster/client.ts',
    // Both listen for requests.
    'packages/server/src/http/connection/http-server.ts',
    'packages/server/src/http/connection/tls.ts',
    'packages/server/src/http/probes/probe-thread.ts',
    // The store of the operator: agents of its client.
    'packages/server/src/platform/blobs/s3/address.ts',
    'packages/server/src/platform/log/tracer.ts',
    'packages/server/src/platform/outbound/open.ts',
  ]);
});

// asvs: 6.5.3
test('chance without secrecy serves pauses alone', () => {
  assert.deepEqual(files(found('random')), [
    'packages/server/src/domains/authentication/invitations/retry-schedule.ts',
    'packages/server/src/domains/ehrs/fhir-server/fhir-server.ts',
    'packages/server/src/domains/protocols/events/webhooks/send.ts',
    'packages/server/src/platform/blobs/s3/attempts.ts',
    'packages/server/src/platform/jobs/open.ts',
    'packages/server/src/platform/records/postgres/postgres-records.ts',
  ]);
});

/** Algorithms that serve no secret, or that others ask for: the files that may name them. */
const exceptional: Record<string, string[]> = {
  // Checksums that GA4GH and `Content-MD5` ask for.
  'createHash md5': [
    'packages/converters/src/bam/sequences.ts',
    'packages/converters/src/fasta/convert.ts',
    'packages/server/src/platform/blobs/disk/join-worker.ts',
    'packages/server/src/platform/blobs/receive.ts',
  ],
  // Names of sequences in refget.
  'createHash sha512': ['packages/converters/src/fasta/convert.ts'],
  // RFC 6238, as authenticators have it.
  'createHmac sha1': ['packages/server/src/domains/authentication/sign-in/second-factor/totp.ts'],
  // Assertions of SAML, in responses whose signature was verified.
  'createDecipheriv aes-…-cbc': ['packages/server/src/domains/authentication/saml/encryption/decryption.ts'],
};

/** All others. */
const usual = [
  'createCipheriv aes-256-gcm',
  'createDecipheriv aes-256-gcm',
  'createDecipheriv aes-…-gcm',
  'createHash sha256',
  'createHmac sha256',
  'hash sha256',
  'hkdfSync sha256',
  'sign sha256',
  'sign sha384',
  'verify sha384',
];

// asvs: 11.1.2, 11.2.1, 11.3.1, 11.3.2, 11.4.1, 11.4.3
test('cryptography is that of the platform, and each of its algorithms is on the list', () => {
  const uses = found('cryptography');
  const named = Map.groupBy(uses, ({ what }) => what);
  for (const [what, places] of Object.entries(exceptional))
    assert.deepEqual(files(named.get(what) ?? []), places, what);
  const others = [...named.keys()].filter((what) => !(what in exceptional) && !what.endsWith('?'));
  assert.deepEqual(others.sort(), usual);
  // Keys of ES256, and of RS256 for id tokens.
  assert.deepEqual(files(uses.filter(({ what }) => what.endsWith('?'))), [
    'packages/server/src/domains/authentication/keys/signing-key.ts',
    'packages/server/src/domains/authentication/oauth/tokens/token-keys.ts',
  ]);
});

test('each kind of danger is found where it is', () => {
  const text = [
    "import { exec } from 'node:child_process';",
    "import { connect, isIP } from 'node:net';",
    "import type { Server } from 'node:http';",
    "import { createHash } from 'node:crypto';",
    "createHash('sha1');",
    'new RegExp(name);',
    "eval('1');",
    'Math.random();',
    "await fetch('http://a');",
  ].join('\n');
  const kinds = dangersIn('packages/server/src/a.ts', text).map(({ kind, line }) => `${kind} ${line}`);
  assert.deepEqual(kinds, [
    'program 1',
    'network 2',
    'cryptography 5',
    'built pattern 6',
    'code 7',
    'random 8',
    'network 9',
  ]);
});
