import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeOnPostgres } from '../support/app.ts';
import { TestProject } from './project.ts';

describeOnPostgres('readers of a file that is overwritten', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Readers');
  });

  test('every reader gets a whole version, by id and by download address, and never an error', async () => {
    const version = (number: number): string => `version ${number};`.repeat(2000 + number);
    const id = await project.upload('busy.txt', version(0));
    const { downloadUrl } = (await app.call('GET', `/v1/files/${id}?include=downloadUrl`)).body;
    const versions = new Set(Array.from({ length: 41 }, (_, number) => version(number)));
    let writing = true;
    let reads = 0;
    const reader = async (read: () => Promise<{ status: number; text: string }>): Promise<void> => {
      while (writing) {
        const { status, text } = await read();
        assert.equal(status, 200, text);
        assert.ok(versions.has(text), text.slice(0, 100));
        reads += 1;
      }
    };
    const byAddress = async () => {
      const answer = await fetch(downloadUrl);
      return { status: answer.status, text: await answer.text() };
    };
    const byId = () => app.call('GET', `/v1/files/${id}`);
    const reading = Promise.all([reader(byId), reader(byId), reader(byAddress), reader(byAddress)]);
    try {
      for (let number = 1; number <= 40; number += 1) await project.upload('busy.txt', version(number));
    } finally {
      writing = false;
    }
    await reading;
    assert.ok(reads > 40);
    assert.equal((await byId()).text, version(40));
  });
});
