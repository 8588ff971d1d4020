import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf, networksOf } from './network.ts';

test('an IPv6 address counts as its /64 in any spelling; an IPv4 one as itself', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:DB8:1:2::9'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf(''), '');
});

test('an IPv6 address is in its /64 and its /48, an IPv4 one in no wider network', () => {
  assert.deepEqual(networksOf('2001:db8:1:2:3:4:5:6'), ['2001:db8:1:2::/64', '2001:db8:1::/48']);
  assert.deepEqual(networksOf('192.0.2.1'), ['192.0.2.1']);
});
