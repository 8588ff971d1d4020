import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, retiredSettings } from './config.ts';

test('an unknown setting stops the start with the nearest known name', () => {
  assert.throws(
    () => readConfig({ PLOIDY_PROT: '1' }),
    new ConfigError('There is no setting PLOIDY_PROT. Did you mean PLOIDY_PORT?'),
  );
});

test('a setting of an earlier version is ignored and named with its remedy', () => {
  const environment = { PLOIDY_QUERIES_SHARE: '2' };
  assert.deepEqual(readConfig(environment), readConfig({}));
  assert.deepEqual(retiredSettings(environment), [
    'PLOIDY_QUERIES_SHARE does nothing since 0.2.0: remove it from the configuration',
  ]);
  assert.deepEqual(retiredSettings({}), []);
});

test('a setting in lower case or without its underscore stops the start', () => {
  for (const name of ['ploidy_port', 'Ploidy_Port', 'PLOIDYPORT', 'PLOIDY-PORT'])
    assert.throws(
      () => readConfig({ [name]: '1' }),
      new ConfigError(`There is no setting ${name}. Did you mean PLOIDY_PORT?`),
    );
});

test('variables of other programs with a similar prefix are ignored', () => {
  const others = {
    PLOIDYDB_SERVICE_HOST: '10.0.0.1',
    PLOIDYDB_PORT: 'tcp://10.0.0.1:5432',
    ploidy_test_x: '1',
  };
  assert.deepEqual(readConfig(others), readConfig({}));
});

test('a header with another meaning cannot name an account', () => {
  for (const name of ['Host', 'Content-Type', 'Idempotency-Key', 'Proxy-Authorization', 'authorization'])
    assert.throws(
      () => readConfig({ PLOIDY_ACCOUNT_HEADERS: `X-Tenant, ${name}` }),
      /PLOIDY_ACCOUNT_HEADERS/,
    );
});

test('durations and sizes are read in every form, and other values are refused', () => {
  const grace = (text: string) => readConfig({ PLOIDY_DELETION_GRACE: text }).deletionGraceMs;
  assert.deepEqual(
    ['14d', '36h', '5s', '250ms', 'P14D', 'PT36H', 'P1DT2H3M4.5S'].map(grace),
    [1_209_600_000, 129_600_000, 5000, 250, 1_209_600_000, 129_600_000, 93_784_500],
  );
  for (const text of ['14', 'x', 'P', 'PT', '-1d']) assert.throws(() => grace(text), ConfigError, text);
  const size = (text: string) => readConfig({ PLOIDY_FILE_MAX: text }).fileMaxBytes;
  assert.deepEqual(['1024', '1KiB', '1.5MiB', '2 GiB'].map(size), [1024, 1024, 1_572_864, 2_147_483_648]);
  for (const text of ['1MB', '-1', 'big']) assert.throws(() => size(text), ConfigError);
});

test('a value out of range is reported with its variable and the allowed range', () => {
  assert.throws(
    () => readConfig({ PLOIDY_PORT: '70000' }),
    /PLOIDY_PORT is "70000"; it should be a whole number from 0 to 65535/,
  );
  assert.throws(() => readConfig({ PLOIDY_DOCS: 'yes' }), /PLOIDY_DOCS/);
  const PLOIDY_ANNOTATION_PROJECT = 'ClinVar';
  assert.throws(() => readConfig({ PLOIDY_ANNOTATION_PROJECT }), /it should be the id of a project/);
});

test('an unusable duration or size stops the start', () => {
  const refused: [string, string, RegExp][] = [
    ['PLOIDY_JOB_LEASE', '0s', /from 1s to 24d/],
    ['PLOIDY_JOB_LEASE', '90d', /from 1s to 24d/],
    ['PLOIDY_QUERY_TIME', '30d', /from 1s to 24d/],
    ['PLOIDY_QUERY_MEMORY', '1', /at least 16MiB/],
    ['PLOIDY_FILE_MAX', '0', /at least 1/],
    ['PLOIDY_FILE_MAX', '99999999999999999TiB', /a size/],
  ];
  for (const [variable, text, message] of refused) {
    const reported = (error: unknown) => error instanceof ConfigError && message.test(error.message);
    assert.throws(() => readConfig({ [variable]: text }), reported, `${variable}=${text}`);
  }
  assert.equal(readConfig({ PLOIDY_DELETION_GRACE: '0s' }).deletionGraceMs, 0);
  assert.equal(readConfig({ PLOIDY_REFRESH_LIFE: '365d' }).grantLifeMs, 31_536_000_000);
});

test('an invalid name of an account header stops the start', () => {
  const read = (text: string) => readConfig({ PLOIDY_ACCOUNT_HEADERS: text }).accountHeaders;
  assert.deepEqual(read('X-Tenant, X_Account'), ['x-tenant', 'x_account']);
  for (const text of ['X Tenant', 'X-Tenant:', 'Authorization', 'Cookie'])
    assert.throws(() => read(text), /PLOIDY_ACCOUNT_HEADERS is .* names of headers/, text);
});

test('an unknown log level stops the start and lists the known ones', () => {
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    assert.equal(readConfig({ PLOIDY_LOG_LEVEL: level }).logLevel, level);
  const message =
    /PLOIDY_LOG_LEVEL is "\w+"; it should be one of fatal, error, warn, info, debug, trace, silent/;
  for (const level of ['verbose', 'INFO', 'toString'])
    assert.throws(
      () => readConfig({ PLOIDY_LOG_LEVEL: level }),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
});

test('an unreachable form of public address stops the start', () => {
  const address = (text: string) => readConfig({ PLOIDY_PUBLIC_URL: text }).publicUrl;
  for (const good of ['', 'https://ploidy.example.org', 'http://[::1]:8080', 'https://example.org/a-b/c.d_1'])
    assert.deepEqual([address(good), address(good && `${good}/`)], [good, good]);
  for (const wrong of [
    'example.org',
    'example.org:8080',
    '//example.org',
    'ftp://example.org',
    'https://',
    'https://user:word@example.org',
    'https://example.org?x=1',
    'https://example.org/#x',
    'https://exa mple.org',
    'https://example.org//',
    'https://example.org/a//b',
    'https://example.org/a/../b',
    'https://example.org/.',
    'https://example.org/a;b',
    'https://example.org/a%2fb',
    'https://example.org/a?b',
    'https://example.org/a#b',
    'https://example.org/v1',
    'https://example.org/ploidy/v1/',
    'https://example.org/api',
  ])
    assert.throws(() => address(wrong), ConfigError, wrong);
  assert.throws(() => address('https://example.org/ploidy/v1'), /without \/v1 or \/api in its path/);
});

test('a value that would fail later stops the start with a clear message', () => {
  const networks = (text: string) => readConfig({ PLOIDY_TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(networks('loopback, 10.0.0.0/8,::1'), ['loopback', '10.0.0.0/8', '::1']);
  for (const all of ['0.0.0.0/0', '::/0', '10.0.0.0/00', '10.0.0.0/33'])
    assert.throws(() => networks(all), /it should be addresses or networks/, all);
  const database = (text: string) => readConfig({ PLOIDY_DATABASE_URL: text }).databaseUrl;
  for (const good of ['', 'postgres://u:p@host:5432/db?sslmode=require', 'postgresql:///db?host=/run'])
    assert.equal(database(good), good);
  for (const wrong of ['mysql://u:secret@x/y', 'postgres:secret', 'host=x', 'postgres://u:secret@host:x/y'])
    assert.throws(
      () => database(wrong),
      (error) => error instanceof ConfigError && !/secret|mysql/.test(error.message),
      wrong,
    );
  assert.equal(readConfig({ PLOIDY_DATA_DIR: '/not/there/yet' }).dataFolder, '/not/there/yet');
  for (const PLOIDY_DATA_DIR of [import.meta.filename, `${import.meta.filename}/data`])
    assert.throws(
      () => readConfig({ PLOIDY_DATA_DIR }),
      /^ConfigError: PLOIDY_DATA_DIR is .*; it should be a folder\.$/,
    );
});

test('a service without settings has port 8080, folder ./data, SQLite and files', () => {
  const { port, dataFolder, databaseUrl, blobStore } = readConfig({});
  assert.deepEqual([port, dataFolder, databaseUrl, blobStore], [8080, resolve('data'), '', undefined]);
});

test('the variables of the command line and of the tests are accepted', () => {
  assert.equal(
    readConfig({ PLOIDY_API_KEY: 'x', PLOIDY_TEST_DATABASE_URL: 'y', PLOIDY_PORT: '' }).port,
    8080,
  );
});

test('the address of the mail server selects its encryption; a wrong one is not repeated, as it may hold a password', () => {
  const PLOIDY_MAIL_FROM = 'Ploidy <ploidy@example.org>';
  const server = (url: string) => readConfig({ PLOIDY_SMTP_URL: url, PLOIDY_MAIL_FROM }).smtpServer;
  const base = { host: 'mail.example.org', port: 587, user: '', password: '', verifyCertificate: true };
  assert.equal(server(''), undefined);
  assert.deepEqual(server('smtp://mail.example.org'), { ...base, encryption: 'offered' });
  assert.deepEqual(server('smtps://mail.example.org'), { ...base, port: 465, encryption: 'tls' });
  const login = { user: 'a@b', password: 'p/w' };
  const url = 'smtp://a%40b:p%2Fw@mail.example.org:25';
  assert.deepEqual(server(url), { ...base, ...login, port: 25, encryption: 'starttls' });
  assert.equal(server(`${url}?starttls=offered`)?.encryption, 'offered');
  assert.equal(server('smtp://a:b@[::1]:2525')?.encryption, 'offered', 'this machine');
  assert.equal(server('smtp://a:b@[::1]:2525')?.host, '::1');
  for (const wrong of [
    'mail',
    'http://u:geheim@h',
    'smtp://u:geheim@h?x=1',
    'smtp://u:geheim%@h',
    'smtp://u:geheim@h/p',
  ]) {
    assert.throws(
      () => server(wrong),
      (error) => error instanceof ConfigError && !/geheim/.test(error.message),
    );
  }
  assert.throws(() => readConfig({ PLOIDY_SMTP_URL: 'smtp://h' }), /PLOIDY_MAIL_FROM/);
  for (const from of ['Ploidy', 'a@b, c@d', 'a@b\nBcc: c@d', '<a@b>']) {
    assert.throws(() => readConfig({ PLOIDY_MAIL_FROM: from }), ConfigError, from);
  }
});

test('the blob store is read with its bucket, prefix, endpoints and style', () => {
  const keys = { PLOIDY_S3_ACCESS_KEY_ID: 'id', PLOIDY_S3_SECRET_ACCESS_KEY: 'secret' };
  const store = (text: string) => readConfig({ ...keys, PLOIDY_BLOBS: text }).blobStore;
  assert.equal(readConfig({}).blobStore, undefined);
  const amazon = store('s3://my.bucket?region=eu-central-1');
  assert.deepEqual(
    [amazon?.bucket, amazon?.prefix, amazon?.endpoint.href, amazon?.pathStyle],
    ['my.bucket', '', 'https://s3.eu-central-1.amazonaws.com/', false],
  );
  const own = store('s3://data/a/b/?endpoint=http://10.0.0.1:9000/s3&publicEndpoint=https://s3.example.org');
  assert.deepEqual(
    [own?.prefix, own?.endpoint.href, own?.publicEndpoint.href, own?.region, own?.pathStyle],
    ['a/b/', 'http://10.0.0.1:9000/s3', 'https://s3.example.org/', 'us-east-1', true],
  );
  for (const wrong of [
    'data',
    'https://data',
    's3://',
    's3://A_B',
    's3://id:secret@data',
    's3://data/a b',
    's3://data?endpoint=ftp://host',
    's3://data?endpoint=https://id:secret@host',
    's3://data?pathStyle=yes',
    's3://data?regoin=x',
  ]) {
    assert.throws(() => store(wrong), /^ConfigError: PLOIDY_BLOBS should be like (?!.*secret)/, wrong);
  }
});

test('half a key, an unknown encryption, or addresses that outlive their signature stop the start', () => {
  const blobs = { PLOIDY_BLOBS: 's3://data' };
  const half = { ...blobs, PLOIDY_S3_ACCESS_KEY_ID: 'id' };
  assert.throws(() => readConfig(half), /PLOIDY_S3_ACCESS_KEY_ID and PLOIDY_S3_SECRET_ACCESS_KEY/);
  const encryption = (text: string) => readConfig({ ...blobs, PLOIDY_S3_ENCRYPTION: text }).s3Encryption;
  assert.deepEqual(encryption('aws:kms:alias/a:b'), { encryption: 'aws:kms', kmsKeyId: 'alias/a:b' });
  assert.deepEqual(encryption('aws:kms'), { encryption: 'aws:kms', kmsKeyId: '' });
  for (const wrong of ['aws:kms:', 'AES256:key', 'alias/ploidy'])
    assert.throws(() => encryption(wrong), /PLOIDY_S3_ENCRYPTION is/);
  const keys = { PLOIDY_S3_ACCESS_KEY_ID: 'id', PLOIDY_S3_SECRET_ACCESS_KEY: 'secret' };
  assert.throws(() => readConfig({ ...blobs, ...keys, PLOIDY_SIGNED_URL_LIFE: '8d' }), /at most 7d/);
});

test('settings that contradict each other stop the start with a remedy', () => {
  const backupKey = { PLOIDY_BACKUPS_ACCESS_KEY_ID: 'id' };
  for (const [given, remedy] of [
    [{ PLOIDY_PORT: '9000', PLOIDY_PROBES_PORT: '9000' }, /give the probes a port of their own/],
    [{ PLOIDY_S3_ACCESS_KEY_ID: 'a', PLOIDY_S3_SECRET_ACCESS_KEY: 'b' }, /no store: set PLOIDY_BLOBS/],
    [{ PLOIDY_S3_ENCRYPTION: 'AES256' }, /no store: set PLOIDY_BLOBS/],
    [backupKey, /PLOIDY_BACKUPS_ACCESS_KEY_ID and PLOIDY_BACKUPS_SECRET_ACCESS_KEY/],
    [{ PLOIDY_DATA_DIR: '/data', PLOIDY_BACKUPS: '/data/backup' }, /PLOIDY_BACKUPS is in PLOIDY_DATA_DIR/],
  ] as const)
    assert.throws(() => readConfig(given), remedy);
  readConfig({ PLOIDY_PORT: '0', PLOIDY_PROBES_PORT: '0', PLOIDY_BACKUPS: 's3://backups' });
  readConfig({ PLOIDY_DATA_DIR: '/data', PLOIDY_BACKUPS: '/data-backup' });
});
