/** Three processes on one database and one bucket that are replaced one after the other, while people write. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { postgresSkip } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { Fleet } from '../torture/fleet.ts';
import { Journal } from '../torture/journal.ts';
import { codeOf, commitOf } from './frozen/code.ts';
import { refusingReleases } from './frozen/release.ts';

const writers = 3;
const laterStep = `--import=${new URL('frozen/later-step.ts', import.meta.url).href}`;

/** People who write files and patients into a project each, and remember what was acknowledged. */
class Writers {
  readonly files = new Map<string, string>();
  readonly ingestions: string[] = [];
  /** Answers that were no success, and requests without an answer. */
  readonly refused: string[] = [];
  readonly #fleet: Fleet;
  readonly #when: string;
  readonly #projects: TestProject[] = [];
  #goesOn = true;
  #work: Promise<unknown> = Promise.resolve();

  constructor(fleet: Fleet, when: string) {
    this.#fleet = fleet;
    this.#when = when;
  }

  async start(): Promise<void> {
    for (let number = 0; number < writers; number += 1)
      this.#projects.push(await TestProject.make(this.#fleet.call, `Written ${this.#when} ${number}`));
    this.#work = Promise.all(this.#projects.map((project, number) => this.#write(project, number)));
  }

  /** Waits until each has written more. */
  async untilMore(): Promise<void> {
    const [files, ingestions] = [this.files.size, this.ingestions.length];
    const count = 2 * writers;
    await until(
      () => this.files.size > files + count && this.ingestions.length > ingestions + 1,
      `people write on; refused: ${this.refused.slice(-3)}`,
    );
  }

  async stop(): Promise<void> {
    this.#goesOn = false;
    await this.#work;
  }

  /** Requires each acknowledged file with its bytes, and the patients of each acknowledged ingestion once. */
  async requireAll(): Promise<void> {
    for (const [id, text] of this.files)
      assert.equal((await this.#fleet.call('GET', `/v1/files/${id}`)).text, text);
    for (const project of this.#projects) {
      const mine = this.ingestions.filter((one) => one.startsWith(project.id));
      for (const one of mine) {
        const end = await project.endOfIngestion(one.split(' ')[1] ?? '');
        assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      }
      const patients = await project.count('patient');
      assert.ok(patients >= mine.length * 2, `${patients} patients of ${mine.length} ingestions`);
      const ids = await project.ask('SELECT count(DISTINCT patient_id) FROM patient');
      assert.deepEqual(ids, [String(patients)], 'each patient once');
    }
  }

  async #write(project: TestProject, writer: number): Promise<void> {
    for (let number = 0; this.#goesOn; number += 1) {
      const name = `w${writer}n${number}`;
      try {
        const file = await this.#put(project, `${name}.ndjson`, fhirText(name, 2));
        if (file === undefined || number % 4 !== 0) continue;
        const body = { datasetId: project.id, fileId: file };
        const begun = await this.#ask('POST', '/v1/ingestions', body);
        if (begun) this.ingestions.push(`${project.id} ${begun['id']}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // A kept connection may end in the moment of its next use: every client of HTTP meets that, and asks again.
        if (!/other side closed/.test(`${error.cause}`)) this.refused.push(`no answer: ${error.cause}`);
      }
    }
  }

  async #put(project: TestProject, name: string, text: string): Promise<string | undefined> {
    const made = await this.#ask('POST', '/v1/files', { name, datasetId: project.id, overwrite: true });
    if (!made) return undefined;
    const sent = await fetch(made['uploadUrl'] ?? '', { method: 'PUT', body: text });
    if (sent.status !== 200) this.refused.push(`PUT ${sent.status}`);
    else this.files.set(made['id'] ?? '', text);
    return sent.status === 200 ? made['id'] : undefined;
  }

  async #ask(method: string, path: string, body: object): Promise<Record<string, string> | undefined> {
    const reply = await this.#fleet.call(method, path, { body });
    if (reply.status < 300) return reply.body;
    this.refused.push(`${method} ${path} ${reply.status} ${reply.text}`);
    return undefined;
  }
}

async function open(context: TestContext, program?: string): Promise<{ fleet: Fleet; people: Writers }> {
  const settings = { PLOIDY_JOB_LEASE: '5s', PLOIDY_THREADS: '1' };
  const fleet = await Fleet.start(new Journal(), settings, program);
  const people = new Writers(fleet, 'meanwhile');
  context.after(async () => {
    await people.stop();
    await fleet.end();
  });
  await people.start();
  await people.untilMore();
  return { fleet, people };
}

async function requireWhole(fleet: Fleet, people: Writers): Promise<void> {
  await people.requireAll();
  await fleet.first.assertLakeWhole();
  await fleet.first.assertAuditWhole();
}

/** Takes one from the proxy, stops it as a service manager does, and starts it anew. */
async function replace(
  fleet: Fleet,
  service: MortalService,
  more: Record<string, string> = {},
): Promise<void> {
  const goOn = fleet.withhold(service);
  const { process: running } = service.server;
  const ended = once(running, 'exit');
  running.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], 'it stops in order');
  // The proxy passes over it until it listens.
  goOn();
  await service.restart(more);
}

test('a version with a step beside replaces three processes one after another: nothing is refused or lost', {
  skip: postgresSkip,
}, async (context) => {
  const { fleet, people } = await open(context);
  for (const service of fleet.services) {
    await replace(fleet, service, { NODE_OPTIONS: laterStep });
    await fleet.untilReady('its replacement');
    await people.untilMore();
  }
  await people.stop();
  assert.deepEqual(people.refused, []);
  await requireWhole(fleet, people);
});

for (const release of refusingReleases) {
  const commit = commitOf(release);
  const skip = commit === undefined && `the history of this checkout does not have ${release}`;
  test(`processes of ${release} end with a message once this version has changed their records, which stay whole`, {
    skip: postgresSkip || skip,
  }, async (context) => {
    const { fleet, people } = await open(context, codeOf(context, commit ?? ''));
    const [first, ...others] = fleet.services;
    assert.ok(first);
    // Steps that are not beside lock many tables: operators stop every process for them.
    await people.stop();
    const ends = others.map(({ server }) => once(server.process, 'exit'));
    await replace(fleet, first);
    for (const end of ends) assert.deepEqual(await end, [1, null]);
    for (const { folder } of others)
      assert.match(readFileSync(join(folder, 'server.log'), 'utf8'), /newer version.*start that version/i);
    for (const service of others) await service.restart();
    await fleet.untilReady('the update');
    const later = new Writers(fleet, 'later');
    context.after(() => later.stop());
    await later.start();
    await later.untilMore();
    await later.stop();
    assert.deepEqual([people.refused, later.refused], [[], []]);
    await people.requireAll();
    await requireWhole(fleet, later);
  });
}
