import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseNext, type PlaceLimits, type Whose } from './admission.ts';
import { Simulation } from './simulation.fixture.ts';

const limits: PlaceLimits = { max: 3, shortMax: 1, shortMs: 5000, yieldMs: 120_000 };

const whoseOf = (account: number, project: number, user: number): Whose => ({
  account: `a${account}`,
  project: `a${account}p${project}`,
  user: `u${user}`,
});

const arrivals = fc.array(
  fc.record({
    whose: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(5)).map((ids) => whoseOf(...ids)),
    atS: fc.nat(600),
    lengthS: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 900 })),
  }),
  { minLength: 1, maxLength: 60 },
);

test('every job of a random crowd ends once, however often it is set aside', () => {
  fc.assert(
    fc.property(arrivals, (jobs) => {
      const simulation = new Simulation(limits, jobs);
      simulation.run();
      assert.equal(simulation.ended.length, jobs.length);
      assert.equal(new Set(simulation.ended).size, jobs.length);
    }),
    { numRuns: 60 },
  );
});

test('no place is idle while work waits that may take it', () => {
  fc.assert(
    fc.property(arrivals, (jobs) => {
      const simulation = new Simulation(limits, jobs);
      simulation.run((state) => {
        if (state.running.length >= limits.max) return;
        const long = state.running.filter(({ isLong }) => isLong);
        const may = state.waiting.filter(
          ({ isLong }) => !isLong || long.length < limits.max - limits.shortMax,
        );
        assert.deepEqual(may, []);
      });
    }),
    { numRuns: 60 },
  );
});

test('no user starts a second job while short work of another waits that has no place', () => {
  fc.assert(
    fc.property(arrivals, (jobs) => {
      const simulation = new Simulation(limits, jobs);
      simulation.run((state) => {
        for (const { whose } of state.started) {
          const own = state.running.filter((run) => run.whose.user === whose.user).length;
          if (own < 2) continue;
          const rivals = state.waiting.filter(
            (one) =>
              !one.isLong &&
              // At the level of accounts an account without a place is first, at that of users a user.
              one.whose.account === whose.account &&
              one.whose.project === whose.project &&
              !state.running.some((run) => run.whose.user === one.whose.user),
          );
          assert.deepEqual(rivals, []);
        }
      });
    }),
    { numRuns: 60 },
  );
});

test('a newcomer to a flood of long jobs has a place at once, and a long newcomer ends within minutes', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.nat(1), fc.nat(1), fc.nat(3)).map((ids) => whoseOf(...ids)),
        { minLength: 6, maxLength: 40 },
      ),
      fc.boolean(),
      fc.integer({ min: 20, max: 100 }),
      (flood, isLong, atS) => {
        const newcomer = { whose: whoseOf(9, 9, 9), atS, lengthS: isLong ? 60 : 1 };
        const jobs = flood.map((whose) => ({ whose, atS: 0, lengthS: 3600 }));
        const simulation = new Simulation(limits, [...jobs, newcomer]);
        simulation.run(undefined, 1000);
        const { firstStartS, endS } = simulation.timesOf(jobs.length);
        assert.ok(firstStartS - atS <= 1, `it waited ${firstStartS - atS} s`);
        assert.ok(endS - atS <= 600, `it ended after ${endS - atS} s`);
      },
    ),
    { numRuns: 40 },
  );
});

const endless = (users: number, lengthS: number) =>
  Array.from({ length: 20 * users }, (_, at) => ({
    whose: whoseOf(at % users, 0, at % users),
    atS: 0,
    lengthS,
  }));

const classes: Record<string, PlaceLimits> = {
  'that yields': limits,
  'that never yields': { max: 2, shortMax: 1, shortMs: 60_000, yieldMs: Number.POSITIVE_INFINITY },
};

for (const [name, ofClass] of Object.entries(classes))
  test(`long work of a class ${name} starts in its turn, however much others begin as short`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 20, max: 300 }),
        fc.integer({ min: 1, max: 400 }),
        (users, lengthS, atS) => {
          const jobs = endless(users, lengthS);
          const victim = { whose: whoseOf(9, 9, 9), atS, lengthS: 30, isLong: true };
          const simulation = new Simulation(ofClass, [...jobs, victim]);
          const latestS = atS + Math.max(480, (users + 1) * lengthS);
          simulation.run(undefined, latestS + 1);
          const { firstStartS } = simulation.timesOf(jobs.length);
          assert.ok(firstStartS <= latestS, `it started at ${firstStartS} s, not before ${latestS} s`);
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });

test('a small ingestion starts at once beside larger ones of many, and in its turn of seconds beside small ones', () => {
  const small = { max: 1, bytes: 1e6, ms: 10_000 };
  const ofClass = { max: 3, shortMax: 2, small, shortMs: 60_000, yieldMs: Number.POSITIVE_INFINITY };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 5, max: 300 }),
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      (users, lengthS, atS, isSmall) => {
        const jobs = endless(users, lengthS).map((job) => ({ ...job, isSmall }));
        const victim = { whose: whoseOf(9, 9, 9), atS, lengthS: 1, isSmall: true };
        const simulation = new Simulation(ofClass, [...jobs, victim]);
        simulation.run(undefined, atS + 30);
        const { firstStartS } = simulation.timesOf(jobs.length);
        // The others that wait may have their turns of ten seconds before.
        const latestS = atS + (isSmall ? 10 * Math.ceil((users + 1) / ofClass.max) : 0);
        assert.ok(firstStartS <= latestS, `it started at ${firstStartS} s, not before ${latestS} s`);
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

test('short work sets a run aside once, and then only after a time that doubles', () => {
  fc.assert(
    fc.property(fc.integer({ min: 6, max: 30 }), fc.integer({ min: 2, max: 12 }), (lengthS, everyS) => {
      const long = [0, 1].map((user) => ({ whose: whoseOf(user, 0, user), atS: 0, lengthS: 600 }));
      const stream = Array.from({ length: 1500 / everyS }, (_, at) => ({
        ...{ whose: whoseOf(2 + (at % 5), 0, 2 + (at % 5)), atS: 1 + at * everyS, lengthS },
      }));
      const simulation = new Simulation(limits, [...long, ...stream]);
      const starts = [0, 0];
      simulation.run(({ started }) => {
        for (const { id } of started) if (id < 2) starts[id] = (starts[id] ?? 0) + 1;
      }, 1500);
      // Once as it turned out long; then after 2, 2, 4 and 8 minutes, which are longer than it is.
      assert.ok(Math.max(...starts) <= 6, `they started ${starts} times`);
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

test('users with the same demand get the same time, whatever the length of their jobs', () => {
  const jobs = [1, 4, 30].flatMap((lengthS, user) =>
    Array.from({ length: 480 / lengthS }, () => ({ whose: whoseOf(0, 0, user), atS: 0, lengthS })),
  );
  const one = { max: 1, shortMax: 0, shortMs: Number.POSITIVE_INFINITY, yieldMs: Number.POSITIVE_INFINITY };
  const simulation = new Simulation(one, jobs);
  simulation.run(undefined, 300);
  const times = [0, 1, 2].map((user) => simulation.usedS(`u${user}`));
  // A start counts a second, so jobs of one second get half.
  assert.ok(Math.min(...times) >= 35, `they had ${times} s of 300`);
});

test('work without an owner displaces no work of the same kind', () => {
  const nobodyWaits = { whose: { account: '', project: '', user: '' }, isLong: false, waitedMs: 1e9 };
  const own = { ...nobodyWaits, isLong: true, ranMs: 1e9, setAside: 0 };
  const held = [own, own, own];
  const state = { running: held, own: held, shares: new Map() };
  assert.equal(chooseNext([nobodyWaits], state, limits), undefined);
});
