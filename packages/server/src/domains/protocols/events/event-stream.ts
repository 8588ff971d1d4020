import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { Pages } from '../../../api/paging.ts';
import { Answer, bodyFor, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { Problem } from '../../../base/problem.ts';
import { Places } from '../../../platform/concurrency/places.ts';
import type { Records } from '../../../platform/records/records.ts';
import { locateProject, type ProjectRecord, type Projects } from '../../files/projects/index.ts';
import { headOf, mayReceive, readFeed } from './feed.ts';

interface StreamDeps {
  records: Records;
  pages: Pages;
  projects: Projects;
}

/** Request for a stream. */
interface Following {
  caller: Caller;
  lastId: string | undefined;
  /** False: only what has happened already. */
  isFollowed: boolean;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** Streams of this process, and the share that one person may have of them. */
const streamsMax = 500;
const personPart = 10 / streamsMax;
const lookMs = 1000;
const heartbeatMs = 15_000;
/** Time after which a client connects again, which ends in time what a proxy would cut. */
const lifeMs = 3_600_000;

/** Streams of events (server-sent events, HTML Living Standard §9.2), of which each person has a few. */
export class EventStreams {
  readonly #deps: StreamDeps;
  readonly #places = new Places(streamsMax);
  readonly #ending = new AbortController();

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /** Ends all streams: the service stops. Clients go on with `Last-Event-ID`. */
  end(): void {
    this.#ending.abort();
  }

  /**
   * Opens the stream of a project behind a position. `renew` authorizes again, and throws a Problem once the right has ended.
   * Problem 429 where the person has too many.
   */
  async open(
    project: ProjectRecord,
    { caller, lastId, isFollowed, signal }: Following,
    renew: () => Promise<Caller>,
  ): Promise<Readable> {
    const { pages, records } = this.#deps;
    const scope = JSON.stringify(['events', project.id, caller.userId]);
    const [given] = pages.position(lastId, scope, 'headers/last-event-id') ?? [];
    const after = given === undefined ? await headOf(records.read, project.account) : Number(given);
    const shares = [{ name: caller.person, part: personPart }];
    if (this.#places.take(shares) !== undefined) throw tooMany();
    const stream = Readable.from(
      this.#events(project, {
        ...{ after, renew, isFollowed, signal: AbortSignal.any([signal, this.#ending.signal]) },
        idOf: (position) => pages.token([position], scope),
      }),
      { objectMode: false, highWaterMark: 16 * 1024 },
    );
    stream.once('close', () => this.#places.give(shares));
    return stream;
  }

  async *#events(
    project: ProjectRecord,
    from: {
      after: number;
      renew: () => Promise<Caller>;
      isFollowed: boolean;
      signal: AbortSignal;
      idOf: (position: number) => string;
    },
  ): AsyncGenerator<string> {
    const { read } = this.#deps.records;
    const until = performance.now() + lifeMs;
    let position = from.after;
    let saidAt = Number.NEGATIVE_INFINITY;
    yield 'retry: 2000\n';
    while (performance.now() < until && !from.signal.aborted) {
      const feed = await readFeed(read, project.account, position, project.id);
      position = feed.position;
      const isQuiet = feed.events.length === 0 && performance.now() - saidAt < heartbeatMs;
      const caller = isQuiet ? undefined : await from.renew().catch(ended);
      if (!isQuiet && !caller) return;
      for (const event of feed.events) {
        if (!caller || !(await mayReceive(read, caller, event))) continue;
        const { type } = event.message;
        saidAt = performance.now();
        yield `id: ${from.idOf(event.sequence)}\nevent: ${type}\ndata: ${JSON.stringify(event.message)}\n\n`;
      }
      if (!feed.isEnd) continue;
      if (performance.now() - saidAt >= heartbeatMs) {
        saidAt = performance.now();
        yield `: \nid: ${from.idOf(position)}\n\n`;
      }
      if (!from.isFollowed) return;
      await delay(lookMs, undefined, { signal: from.signal }).catch(() => undefined);
    }
  }
}

/** Ends a stream whose right has ended. */
function ended(error: unknown): undefined {
  if (error instanceof Problem && error.status < 500) return undefined;
  throw error;
}

/** Route of the events of a project. */
export function eventStreamRoute(streams: EventStreams, projects: Projects): Route {
  return route({
    method: 'GET',
    path: '/v1/projects/:id/events',
    operation: 'events.follow',
    tag: 'Events',
    summary: 'Follow the events of a project',
    description:
      'Server-sent events: `event` is the kind, `data` an EventMessage. From now on, or behind `Last-Event-ID`, without a gap. Ends after an hour, and when the right ends; at most 10 streams a person.',
    params: idParam,
    query: Type.Object({
      follow: Type.Optional(
        Type.Boolean({ description: '`false`: only what has happened behind `Last-Event-ID`, then the end' }),
      ),
    }),
    headers: ['Last-Event-ID'],
    answers: {
      200: {
        schema: Type.String({ description: 'Events, as they happen' }),
        description: 'The stream',
        contentType: 'text/event-stream',
      },
    },
    locate: ({ params }) => locateProject(projects, params.id),
    handle: async ({ resource, query, caller, headers, method, signal, renew }) => {
      const given = headers['last-event-id'];
      const lastId = typeof given === 'string' ? given : undefined;
      const following = { caller, lastId, isFollowed: query.follow !== false, signal };
      const body = await bodyFor(method, () => streams.open(resource, following, renew));
      return new Answer(200, body, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Nginx passes on each event at once.
        'x-accel-buffering': 'no',
      });
    },
  });
}

function tooMany(): Problem {
  const message = 'Too many streams of events are open. End one of yours, or try again in a moment.';
  return new Problem(429, 'TOO_MANY_REQUESTS', message, { retryAfterS: 10 });
}
