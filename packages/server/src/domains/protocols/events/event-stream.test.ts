import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

interface StreamedEvent {
  id: string;
  event: string;
  data: { data: { datasetId: string; resource: { id: string } } };
}

/** Stream of events as a browser reads it. */
class Stream {
  readonly status: number;
  readonly events: StreamedEvent[] = [];
  lastId: string | undefined;
  isOver = false;
  readonly #response: Response;
  readonly #closing: AbortController;

  private constructor(response: Response, closing: AbortController) {
    this.status = response.status;
    this.#response = response;
    this.#closing = closing;
  }

  static async open(address: string, key: string, lastId?: string): Promise<Stream> {
    const headers = { authorization: key, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const closing = new AbortController();
    const stream = new Stream(await fetch(address, { headers, signal: closing.signal }), closing);
    if (stream.status === 200) void stream.#read().catch(() => undefined);
    return stream;
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of this.#response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
    this.isOver = true;
  }

  #take(block: string): void {
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
    this.lastId = fields.id ?? this.lastId;
    if (fields.data !== undefined)
      this.events.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
  }
}

describeApp('streams of events', (app) => {
  const projects: string[] = [];
  before(async () => {
    for (const name of ['Streamed', 'Other'])
      projects.push((await app.call('POST', '/v1/projects', { body: { name } })).body.id);
  });
  const addressOf = (project = projects[0]) => `${app.address}/v1/projects/${project}/events`;
  const files = (stream: Stream) => stream.events.map(({ data }) => data.data.resource.id);
  const put = (project: string | undefined) => app.put(project ?? '', `${crypto.randomUUID()}.txt`, 'bytes');

  test('events of the project arrive, and those missed meanwhile behind the last id, each once', async () => {
    const stream = await Stream.open(addressOf(), app.key);
    await until(() => stream.lastId !== undefined, 'the stream has begun');
    await put(projects[1]);
    const sent = [await put(projects[0]), await put(projects[0])];
    await until(() => stream.events.length >= 2, 'both arrive');
    stream.close();
    sent.push(await put(projects[0]));
    const next = await Stream.open(addressOf(), app.key, stream.events[0]?.id);
    await until(() => next.events.length >= 2, 'what was missed arrives');
    assert.deepEqual([files(stream), files(next)], [sent.slice(0, 2), sent.slice(1)]);
    assert.equal(next.events[0]?.event, 'file.arrived');
    next.close();
  });

  test('an id of another project or of another person is refused, and so is a made one', async () => {
    const stream = await Stream.open(addressOf(), app.key);
    await until(() => stream.lastId !== undefined, 'the stream has begun');
    stream.close();
    const member = await app.people.member(app.account, ['readData']);
    for (const [address, key, id] of [
      [addressOf(projects[1]), app.key, stream.lastId],
      [addressOf(), member.key, stream.lastId],
      [addressOf(), app.key, '17'],
    ] as const)
      assert.equal((await Stream.open(address, key, id)).status, 400);
  });

  test('a reader of some resources gets the events of these alone, and the stream ends with the right', async () => {
    const readable = await app.put(projects[0] ?? '', 'first.txt', 'bytes');
    const rule = { 'resource.id': { comparison: 'equals', value: readable } };
    const member = await app.people.member(app.account, ['readData', 'deleteData'], rule);
    const stream = await Stream.open(addressOf(), member.key);
    await until(() => stream.lastId !== undefined, 'the stream has begun');
    await put(projects[0]);
    await app.call('PATCH', `/v1/files/${readable}`, { body: { name: 'second.txt' } });
    await until(() => stream.events.length > 0, 'the change arrives');
    assert.deepEqual([files(stream), stream.events[0]?.event], [[readable], 'file.changed']);
    await app.people.withdraw(member);
    await put(projects[0]);
    await until(() => stream.isOver, 'the stream ends');
    assert.equal(stream.events.length, 1);
    assert.equal((await Stream.open(addressOf(), member.key)).status, 403);
  });

  test('a person has ten streams, and a closed one makes room', async () => {
    const member = await app.people.member(app.account, ['readData']);
    const open = () => Stream.open(addressOf(), member.key);
    const streams = await Promise.all(Array.from({ length: 10 }, open));
    assert.deepEqual(
      streams.map(({ status }) => status),
      streams.map(() => 200),
    );
    assert.equal((await open()).status, 429);
    streams.pop()?.close();
    let next: Stream | undefined;
    await until(async () => {
      next = await open();
      return next.status === 200;
    }, 'there is room again');
    for (const stream of [...streams, next]) stream?.close();
  });

  test('a project that is unknown to the caller is 404', async () => {
    const stranger = await app.people.owner('outside');
    assert.equal((await Stream.open(addressOf(), stranger.key)).status, 404);
  });

  test('the stop of the service ends streams', async () => {
    const stream = await Stream.open(addressOf(), app.key);
    await until(() => stream.lastId !== undefined, 'the stream has begun');
    await app.app.stop();
    await until(() => stream.isOver, 'the stream ends');
  });
});
