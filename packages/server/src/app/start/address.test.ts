import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenError } from './address.ts';

test('an address that cannot be listened on is reported with the setting to change', () => {
  const reason = (code: string): string =>
    listenError(Object.assign(new Error('listen'), { code }), { host: '10.1.2.3', port: 80 }).message;
  assert.match(reason('EADDRINUSE'), /^Another program listens on 10\.1\.2\.3:80: .* PLOIDY_PORT\.$/);
  assert.match(reason('EACCES'), /^Port 80 needs rights of root: .*PLOIDY_PORT/);
  assert.match(
    reason('EADDRNOTAVAIL'),
    /^PLOIDY_HOST is 10\.1\.2\.3, which is no address of this computer\.$/,
  );
  assert.match(reason('EMFILE'), /^The service cannot listen on 10\.1\.2\.3:80\.$/);
});
