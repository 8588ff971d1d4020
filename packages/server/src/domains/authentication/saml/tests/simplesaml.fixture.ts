import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../../../../test/support/free-port.ts';
import { until } from '../../../../../../../test/support/until.ts';
import { has, makeKey } from './saml-provider.fixture.ts';

const program = '/usr/share/simplesamlphp';

/** Reason to skip tests against SimpleSAMLphp, for the `skip` option. In CI they must run. */
export const simplesamlSkip: string | false =
  (existsSync(program) && has('php')) || process.env['CI'] === 'true'
    ? false
    : 'there is no SimpleSAMLphp: apt-get install simplesamlphp php-cli php-xml php-mbstring php-sqlite3';

/** Real identity provider, on a free port with a separate folder. */
export interface Simplesaml {
  address: string;
  metadataUrl: string;
  stop(): Promise<void>;
}

/** Configuration of a service at the provider. */
export interface KnownService {
  entityId: string;
  acsUrl: string;
  /** Base64, as in the service's metadata: requests must be signed with its key. */
  certificate: string;
  /** Likewise; enables encryption of assertions. */
  encryptionCertificate?: string;
  /** Signs the response as a whole, too. */
  signsResponse?: boolean;
}

/** Users with their passwords and attributes. */
export const people = {
  grace: { password: 'gracepass', mail: 'grace@simplesaml.example', displayName: 'Grace Hopper' },
  mallory: { password: 'mallorypass', mail: 'mallory@simplesaml.example', displayName: 'Mallory' },
};

/** Starts it under PHP's own server, with one known service. */
export async function startSimplesaml(service: KnownService): Promise<Simplesaml> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-simplesaml-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  writeFiles(folder, address, service);
  const sessions = join(folder, 'sessions');
  mkdirSync(sessions);
  const options = [
    '-d',
    `session.save_path=${sessions}`,
    '-d',
    'display_errors=0',
    '-d',
    'error_reporting=0',
  ];
  const child = spawn('php', [...options, '-S', `127.0.0.1:${port}`, '-t', join(program, 'www')], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder, PHP_CLI_SERVER_WORKERS: '3' },
    stdio: 'ignore',
    // A process group, so that its workers end with it.
    detached: true,
  });
  // A missing program emits `error` and never `close`.
  let failure: Error | undefined;
  const ended = new Promise<void>((done) => {
    child.once('close', () => done());
    child.once('error', (error) => {
      failure = error;
      done();
    });
  });
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const metadataUrl = `${address}saml2/idp/metadata.php`;
  try {
    await until(
      () =>
        failure !== undefined ||
        fetch(metadataUrl).then(
          async (one) => (await one.text()).includes('EntityDescriptor'),
          () => false,
        ),
      'SimpleSAMLphp answers with its metadata',
    );
    if (failure) throw new Error(`SimpleSAMLphp needs PHP: ${failure.message}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, metadataUrl, stop };
}

function writeFiles(folder: string, address: string, service: KnownService): void {
  const write = (name: string, php: string): void => writeFileSync(join(folder, name), `<?php\n${php}\n`);
  for (const name of ['cert', 'log', 'metadata', 'data', 'temp']) mkdirSync(join(folder, name));
  const key = makeKey();
  writeFileSync(join(folder, 'cert', 'idp.crt'), key.certificate);
  writeFileSync(join(folder, 'cert', 'idp.pem'), key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  write(
    'config.php',
    `$config = [
  'baseurlpath' => '${address}', 'certdir' => '${folder}/cert/', 'loggingdir' => '${folder}/log/',
  'datadir' => '${folder}/data/', 'tempdir' => '${folder}/temp', 'metadatadir' => '${folder}/metadata/',
  'attributenamemapdir' => '/etc/simplesamlphp/attributemap/', 'secretsalt' => 'a salt for tests only',
  'auth.adminpassword' => 'not the default', 'technicalcontact_email' => 'nobody@example.org', 'timezone' => 'UTC',
  'logging.handler' => 'file', 'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'session.cookie.secure' => false, 'session.cookie.samesite' => 'Lax', 'session.phpsession.httponly' => true,
  'store.type' => 'phpsession', 'session.cookie.path' => '/', 'session.duration' => 28800,
  'metadata.sources' => [['type' => 'flatfile']], 'language.default' => 'en', 'language.available' => ['en'],
  'language.cookie.secure' => false,
];`,
  );
  const users = Object.entries(people).map(
    ([uid, { password, mail, displayName }]) =>
      `'${uid}:${password}' => ['uid' => ['${uid}'], 'mail' => ['${mail}'], 'displayName' => ['${displayName}']],`,
  );
  write('authsources.php', `$config = ['people' => ['exampleauth:UserPass',\n${users.join('\n')}\n]];`);
  write(
    'metadata/saml20-idp-hosted.php',
    `$metadata['${address}idp'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt',
  'auth' => 'people', 'userid.attribute' => 'uid',
  'attributes.NameFormat' => 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
  'authproc' => [100 => ['class' => 'core:AttributeMap', 'name2oid']]];`,
  );
  const { certificate, encryptionCertificate, signsResponse = true } = service;
  const keys = [keyInPhp('signing', certificate)];
  if (encryptionCertificate) keys.push(keyInPhp('encryption', encryptionCertificate));
  write(
    'metadata/saml20-sp-remote.php',
    `$metadata['${service.entityId}'] = ['AssertionConsumerService' => '${service.acsUrl}', 'keys' => [${keys.join(', ')}],
  'assertion.encryption' => ${encryptionCertificate !== undefined}, 'saml20.sign.response' => ${signsResponse},
  'saml20.sign.assertion' => true,
  'validate.authnrequest' => true, 'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'];`,
  );
}

/** Returns a key in PHP: it is for all uses not denied. */
function keyInPhp(use: 'signing' | 'encryption', certificate: string): string {
  const other = use === 'signing' ? 'encryption' : 'signing';
  return `['type' => 'X509Certificate', '${use}' => true, '${other}' => false, 'X509Certificate' => '${certificate}']`;
}
