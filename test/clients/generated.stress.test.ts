/** Clients that generators of others make from the API document are complete: each compiles, and works with a service. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { goTool, javaArchive, npmTool, pythonWith, root } from '../deploy/tools.ts';
import { fhirText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const versions = {
  attrs: ['openapi-python-client==0.29.1', 'ruff==0.14.6'],
  go: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0',
  goRuntime: 'github.com/oapi-codegen/runtime@v1.9.0',
  openApi: 'org.openapitools:openapi-generator-cli:7.17.0',
  pydantic: ['pydantic==2.14.4', 'urllib3==2.8.0', 'python-dateutil==4.0.0', 'typing-extensions==4.16.0'],
  fetch: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
};
const document = join(root, 'docs/openapi.json');

const missingPython = await missing('python3');
const missingGo = await missing('go');
const missingJava = await missing('java', 'mvn');

describe('a generated client calls a service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-generated-'));
  let app: TestApp;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    const records = join(folder, 'p.ndjson');
    writeFileSync(records, fhirText('p', 5, 1));
    const settings = { ADDRESS: app.address, KEY: app.key, ACCOUNT: app.account, RECORDS: records };
    environment = { ...process.env, ...settings };
  });
  after(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const program = (name: string): string => join(import.meta.dirname, 'generated', name);
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };

  /** Runs openapi-generator: its compiler at the first level, since the program is short, and without tests and pages of its own. */
  async function generate(language: string, target: string, properties: string, ...more: string[]) {
    const generator = ['-XX:TieredStopAtLevel=1', '-jar', javaArchive(versions.openApi), 'generate'];
    const words = ['-g', language, '-i', document, '-o', target, '--additional-properties', properties];
    const without = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((part) => `${part}=false`);
    words.push('--global-property', without.join(','), ...more);
    await run('java', [...generator, ...words], { maxBuffer: 2 ** 26 });
  }

  test('Python, by openapi-python-client', { skip: missingPython }, async () => {
    const python = pythonWith(versions.attrs);
    const target = join(place('attrs'), 'ploidy_attrs');
    const env = {
      ...environment,
      PATH: `${dirname(python)}:${process.env['PATH']}`,
      PYTHONPATH: dirname(target),
    };
    const words = ['generate', '--path', document, '--output-path', target, '--meta', 'none'];
    await run(join(dirname(python), 'openapi-python-client'), words, { env });
    await run(python, [program('attrs_client.py')], { env });
  });

  const missingForPydantic = missingPython || missingJava;
  test('Python, by openapi-generator', { skip: missingForPydantic }, async () => {
    const target = place('pydantic');
    await generate('python', target, 'packageName=ploidy_pydantic');
    const env = { ...environment, PYTHONPATH: target };
    await run(pythonWith(versions.pydantic), [program('pydantic_client.py')], { env });
  });

  test('TypeScript, by openapi-typescript and openapi-fetch', async () => {
    const target = place('fetch');
    const generator = npmTool('openapi-typescript', ...versions.fetch);
    await run(generator, [document, '-o', join(target, 'ploidy.d.ts')]);
    const client = join(target, 'client.ts');
    copyFileSync(program('fetch-client.ts'), client);
    symlinkSync(dirname(dirname(generator)), join(target, 'node_modules'));
    writeFileSync(join(target, 'package.json'), '{"type": "module"}');
    const checks = '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --types node';
    const modules = '--target esnext --module nodenext --allowImportingTsExtensions --typeRoots';
    const words = [...`${checks} ${modules}`.split(' '), join(root, 'node_modules/@types'), client];
    await run(join(root, 'node_modules/.bin/tsc'), words, { cwd: target });
    await run(process.execPath, [client], { env: environment });
  });

  test('Go, by oapi-codegen', { skip: missingGo }, async () => {
    const generator = goTool('oapi-codegen', versions.go);
    const go = place('go');
    mkdirSync(join(go, 'ploidy'));
    const code = join(go, 'ploidy/ploidy.go');
    await run(generator, ['-generate', 'types,client', '-package', 'ploidy', '-o', code, document]);
    copyFileSync(program('main.go'), join(go, 'main.go'));
    await run('go', ['mod', 'init', 'clients'], { cwd: go });
    await run('go', ['get', versions.goRuntime], { cwd: go });
    await run('go', ['run', '.'], { cwd: go, env: environment });
  });

  test('Java, by openapi-generator', { skip: missingJava }, async () => {
    const java = place('java');
    const packages =
      'invokerPackage=ploidy,apiPackage=ploidy.api,modelPackage=ploidy.model,openApiNullable=false';
    await generate('java', java, packages, '--library', 'okhttp-gson');
    copyFileSync(program('Main.java'), join(java, 'src/main/java/Main.java'));
    const classpath = join(java, 'classpath');
    const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`];
    await run('mvn', ['-q', '-B', ...goals], { cwd: java, maxBuffer: 2 ** 26 });
    const classes = `${join(java, 'target/classes')}:${readFileSync(classpath, 'utf8')}`;
    await run('java', ['-cp', classes, 'Main'], { env: environment });
  });
});
