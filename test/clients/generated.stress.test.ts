/** Clients that generators of others make from the API document are complete: each compiles, and works with a service. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { goTool, pythonWith, root } from '../deploy/tools.ts';
import { fhirText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';

const run = promisify(execFile);
const versions = {
  attrs: ['openapi-python-client==0.29.1', 'ruff==0.14.6'],
  go: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0',
  goRuntime: 'github.com/oapi-codegen/runtime@v1.9.0',
  java: 'org.openapitools:openapi-generator-cli:7.17.0',
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
    const jars = place('jars');
    const copied = [`-Dartifact=${versions.java}`, `-DoutputDirectory=${jars}`];
    await run('mvn', ['-q', '-B', 'dependency:copy', ...copied]);
    const java = place('java');
    const packages =
      'invokerPackage=ploidy,apiPackage=ploidy.api,modelPackage=ploidy.model,openApiNullable=false';
    const generator = ['-jar', join(jars, readdirSync(jars)[0] ?? ''), 'generate', '-g', 'java'];
    await run(
      'java',
      [
        ...generator,
        '--library',
        'okhttp-gson',
        '-i',
        document,
        '-o',
        java,
        `--additional-properties=${packages}`,
      ],
      { maxBuffer: 2 ** 26 },
    );
    copyFileSync(program('Main.java'), join(java, 'src/main/java/Main.java'));
    const classpath = join(java, 'classpath');
    const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`];
    await run('mvn', ['-q', '-B', ...goals], { cwd: java, maxBuffer: 2 ** 26 });
    const classes = `${join(java, 'target/classes')}:${readFileSync(classpath, 'utf8')}`;
    await run('java', ['-cp', classes, 'Main'], { env: environment });
  });
});
