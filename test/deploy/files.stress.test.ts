/** The files of deploy/ satisfy the tools that read them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { composeTool, helmTool, pythonTool, root } from './tools.ts';

const deploy = join(root, 'deploy');
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ploidy-deploy-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a tool; answers what it prints. Fails with all output when the tool does. */
function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

test('YAML files have no errors and no duplicate keys', () => {
  const rules = '{extends: default, rules: {line-length: disable, document-start: disable, braces: disable}}';
  const files = ['compose.yaml', 'proxy/traefik.yaml', 'helm/values.yaml', 'helm/Chart.yaml'];
  run(pythonTool('yamllint'), '--strict', '-d', rules, ...files.map((file) => join(deploy, file)));
});

interface Composition {
  services: Record<
    string,
    {
      deploy?: { replicas?: number };
      read_only?: boolean;
      environment?: Record<string, string>;
      networks?: { default?: { ipv4_address?: string } | null };
    }
  >;
  networks: { default: { ipam: { config: { subnet: string; ip_range: string }[] } } };
}

function composition(...words: string[]): Composition {
  const file = join(deploy, 'compose.yaml');
  return JSON.parse(run(composeTool(), '--file', file, ...words, 'config', '--format', 'json'));
}

test('Compose runs Caddy and one process; with the example for scale, two processes, PostgreSQL and a store', () => {
  const alone = composition().services;
  assert.deepEqual(Object.keys(alone), ['caddy', 'ploidy']);
  assert.deepEqual([alone['ploidy']?.deploy?.replicas, alone['ploidy']?.read_only], [1, true]);
  const scaled = composition('--env-file', join(deploy, 'scale.env.example')).services;
  assert.deepEqual(Object.keys(scaled).toSorted(), ['caddy', 'ploidy', 'postgres', 'process', 'store']);
  assert.deepEqual([scaled['ploidy']?.deploy?.replicas, scaled['process']?.deploy?.replicas], [0, 2]);
});

test('Compose trusts the address of Caddy alone, which no other container can have', () => {
  const { services, networks } = composition('--env-file', join(deploy, 'scale.env.example'));
  const caddy = services['caddy']?.networks?.default?.ipv4_address ?? '';
  const trusted = Object.values(services).flatMap(
    ({ environment }) => environment?.['PLOIDY_TRUSTED_PROXIES'] ?? [],
  );
  assert.deepEqual(trusted, [caddy, caddy]);
  const [{ subnet, ip_range } = { subnet: '', ip_range: '' }] = networks.default.ipam.config;
  const list = (network: string): BlockList => {
    const [address = '', bits] = network.split('/');
    const found = new BlockList();
    found.addSubnet(address, Number(bits), 'ipv4');
    return found;
  };
  assert.deepEqual([list(subnet).check(caddy), list(ip_range).check(caddy)], [true, false]);
});

test('the chart trusts no proxy that was not named', () => {
  const template = (...values: string[]) =>
    spawnSync(helmTool(), ['template', chart, '--kube-version', '1.34.0', ...settings(values)], {
      encoding: 'utf8',
    });
  const { status, stderr } = template();
  assert.equal(status, 1);
  assert.match(stderr, /trustedProxies: name the addresses/);
  assert.match(template('trustedProxies=').stdout, /PLOIDY_TRUSTED_PROXIES, value: ""/);
  assert.match(template(proxies).stdout, /PLOIDY_TRUSTED_PROXIES, value: "192\.0\.2\.7"/);
});

test('systemd accepts the unit and rates its exposure as low', () => {
  const unit = join(folder, 'ploidy.service');
  const text = readFileSync(join(deploy, 'systemd/ploidy.service'), 'utf8');
  // The program need not be installed on the machine that tests.
  writeFileSync(unit, text.replaceAll('/opt/ploidy/node_modules/.bin/node', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  // The threshold is a tenth of its scale: 2.0 is "OK", as near to 0 as a program with a network gets.
  run('systemd-analyze', 'security', '--offline=true', '--threshold=20', unit);
});

test('systemd accepts the timer of backups and rates its work as little exposed', () => {
  for (const name of ['ploidy-backup.service', 'ploidy-backup.timer']) {
    const text = readFileSync(join(deploy, 'systemd', name), 'utf8');
    writeFileSync(
      join(folder, name),
      text.replaceAll('/opt/ploidy/node_modules/.bin/node', process.execPath),
    );
  }
  const units = ['ploidy-backup.service', 'ploidy-backup.timer'].map((name) => join(folder, name));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  run('systemd-analyze', 'security', '--offline=true', '--threshold=25', units[0] ?? '');
});

const backups = ['backup.enabled=true', 'backup.place=/backup', 'backup.claim=backups'];

test('the chart refuses backups without a place', () => {
  const words = [
    'template',
    chart,
    '--kube-version',
    '1.34.0',
    ...settings([proxies, 'backup.enabled=true']),
  ];
  const { status, stderr } = spawnSync(helmTool(), words, { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /backup: name its place/);
});

const proxies = 'trustedProxies=192.0.2.7';
const one = [proxies];
const scaled = [
  proxies,
  'replicas=3',
  'existingSecret=ploidy',
  'masterKeySecret=ploidy-key',
  'blobs=s3://ploidy',
  'ingress.enabled=true',
];
const guarded = [
  'networkPolicy.enabled=true',
  'networkPolicy.from[0].kubernetes\\.io/metadata\\.name=ingress-nginx',
];
const chart = join(deploy, 'helm');
const settings = (values: string[]): string[] => values.flatMap((value) => ['--set', value]);

for (const [name, values, kinds] of [
  ['one pod', one, ['Service', 'Service', 'ServiceAccount', 'StatefulSet']],
  [
    'one pod with backups',
    [...one, ...backups],
    ['CronJob', 'Service', 'Service', 'ServiceAccount', 'StatefulSet'],
  ],
  [
    'many pods',
    [...scaled, ...guarded],
    [
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceAccount',
      'StatefulSet',
    ],
  ],
  [
    'pods by role',
    [
      ...scaled,
      ...backups,
      'roles=api\\,query',
      'workers.convert.replicas=4',
      'workers.convert.roles=ingest\\,maintenance',
    ],
    [
      'CronJob',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceAccount',
      'StatefulSet',
      'StatefulSet',
    ],
  ],
] as const) {
  test(`the chart for ${name} passes Helm's lint, and Kubernetes' schemas hold what it renders`, () => {
    run(helmTool(), 'lint', '--strict', chart, ...settings([...values]));
    const rendered = run(
      helmTool(),
      'template',
      'ploidy',
      chart,
      '--kube-version',
      '1.34.0',
      ...settings([...values]),
    );
    const found = [...rendered.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(found.toSorted(), kinds);
    const file = join(folder, 'rendered.yaml');
    writeFileSync(file, rendered);
    run(pythonTool('kubernetes-validate'), '--strict', '--version', '1.34', file);
  });
}

test('a ServiceMonitor reads the probes of the pods, with the labels of its Prometheus', () => {
  const values = [...one, 'serviceMonitor.enabled=true', 'serviceMonitor.labels.release=prometheus'];
  const rendered = run(
    helmTool(),
    'template',
    'ploidy',
    chart,
    '--kube-version',
    '1.34.0',
    ...settings(values),
  );
  const documents = rendered.split(/^---$/m).map((text) => parse(text));
  const monitor = documents.find((document) => document?.kind === 'ServiceMonitor');
  const services = documents.filter((document) => document?.kind === 'Service');
  assert.equal(monitor.metadata.labels.release, 'prometheus');
  assert.equal(services[0]?.metadata.labels[monitor.spec.jobLabel], 'ploidy', 'the job of the rules');
  assert.deepEqual(monitor.spec.endpoints, [{ port: 'probes', path: '/metrics', interval: '30s' }]);
  const labels = Object.entries(monitor.spec.selector.matchLabels);
  assert.ok(
    services.every(({ metadata }) => labels.every(([name, value]) => metadata.labels[name] === value)),
  );
});

test('the chart refuses several pods without a shared database, store and master key', () => {
  const { status, stderr } = spawnSync(
    helmTool(),
    ['template', chart, '--kube-version', '1.34.0', ...settings([proxies, 'replicas=2'])],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 1);
  assert.match(stderr, /replicas > 1 and workers need blobs, existingSecret/);
});
