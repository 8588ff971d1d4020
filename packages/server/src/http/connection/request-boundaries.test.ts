import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestBoundaries } from './request-boundaries.ts';

/** Lists the methods found in these packets. */
function methods(packets: readonly Buffer[], upgrades = false): string[] {
  const found: string[] = [];
  const boundaries = new RequestBoundaries({
    methodByte(chunk, at, index) {
      if (index === 0) found.push('');
      found.push((found.pop() ?? '') + String.fromCharCode(chunk[at] ?? 0));
    },
    upgrades: () => upgrades,
  });
  for (const packet of packets) boundaries.follow(packet);
  return found;
}

const method = fc.constantFrom('GET', 'POST', 'UPDATE', 'UNBIND', 'C', 'CONNECTED');
const body = fc.constantFrom(
  '',
  'x',
  'UPDATE / HTTP/1.1\r\n\r\n',
  '\r\n\r\n0\r\n\r\n',
  '0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
);
const header = fc.constantFrom(
  'Host: a',
  'X: Content-Length: 9',
  'Upgrade: h2c',
  'Connection: close',
  'A:',
  // JavaScript treats the first two as blanks, Node's parser does not.
  'Connection: \xa0upgrade',
  'Connection: close,upgrade\xa0',
  'Connection: \x80\x85\xff',
  'content-lengthy: 7',
);
const begin = fc.tuple(method, fc.array(header, { maxLength: 4 }));

const withLength = fc
  .tuple(begin, body, fc.constantFrom('Content-Length: ', 'CONTENT-LENGTH:\t00'))
  .map(([[name, headers], body, length]) => ({
    name,
    text: `${name} /UPDATE / HTTP/1.1\r\n${[...headers, `${length}${body.length} `].join('\r\n')}\r\n\r\n${body}`,
  }));
const chunked = fc
  .tuple(begin, fc.array(body), fc.constantFrom('', ';x="1;2"', ';a=b;c'))
  .map(([[name, headers], chunks, extension]) => {
    const parts = chunks
      .filter((chunk) => chunk !== '')
      .map((chunk) => `${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`);
    const all = [...headers, 'transfer-Encoding: gzip,Chunked\t'].join('\r\n');
    return {
      name,
      text: `${name} / HTTP/1.1\r\n${all}\r\n\r\n${parts.join('')}00${extension}\r\nX: GET /\r\n\r\n`,
    };
  });
const bare = begin.map(([name, headers]) => ({
  name,
  text: `${name} / HTTP/1.1\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n`,
}));

// asvs: 4.2.1
test('requests are separated at any packet boundaries', () => {
  const requests = fc.array(fc.oneof(withLength, chunked, bare), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      requests,
      fc.array(fc.nat(60)),
      fc.constantFrom('', '\r\n', '\r\n\r\n'),
      (requests, cuts, between) => {
        const all = Buffer.from(requests.map(({ text }) => text).join(between), 'latin1');
        const packets: Buffer[] = [];
        let rest = all;
        for (const length of cuts) {
          packets.push(rest.subarray(0, length));
          rest = rest.subarray(length);
        }
        const wanted = requests.map(({ name }) => name);
        assert.deepEqual(methods([...packets, rest]), wanted);
        assert.deepEqual(methods([...all].map((byte) => Buffer.of(byte))), wanted);
      },
    ),
    { numRuns: 1500 },
  );
});

test('after CONNECT, or a granted upgrade, nothing more is parsed', () => {
  const upgrade = 'POST / HTTP/1.1\r\nConnection: x, Upgrade\r\nUpgrade: y\r\nContent-Length: 1\r\n\r\nb';
  const next = Buffer.from('UPDATE / HTTP/1.1\r\n\r\n');
  assert.deepEqual(methods([Buffer.from('CONNECT a:1 HTTP/1.1\r\n\r\n'), next]), ['CONNECT']);
  assert.deepEqual(methods([Buffer.from(upgrade), next], true), ['POST']);
  assert.deepEqual(methods([Buffer.from(upgrade), next], false), ['POST', 'UPDATE']);
  assert.deepEqual(methods([Buffer.from(`${upgrade}ignored`), next], false), ['POST', 'UPDATE']);
});

test('arbitrary bytes never throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (packets) => {
      methods(packets.map((bytes) => Buffer.from(bytes)));
    }),
  );
});
