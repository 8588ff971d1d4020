/** Schedules in the form of cron (POSIX crontab): minute, hour, day of the month, month, day of the week. All in UTC. */
export interface CronTimes {
  minutes: number[];
  hours: number[];
  days: Set<number>;
  months: Set<number>;
  /** 0 = Sunday. */
  weekdays: Set<number>;
  /** Either of the two is enough when both are given; POSIX says so. */
  eitherDay: boolean;
}

interface Field {
  name: string;
  least: number;
  most: number;
  words?: readonly string[];
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const weekdayNames = 'sun mon tue wed thu fri sat'.split(' ');

const fields: readonly Field[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: monthNames },
  // 7 is Sunday too.
  { name: 'day of the week', least: 0, most: 7, words: weekdayNames },
];

const dayMs = 86_400_000;
/** From one 29 February to the next it may take eight years (1896 to 1904, 2096 to 2104). */
const daysAhead = 366 * 8 + 1;

/** Reads an expression, or says what is wrong with it. */
export function readCron(expression: string): CronTimes | string {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== fields.length)
    return 'must have five fields: minute, hour, day of the month, month, day of the week';
  const sets: Set<number>[] = [];
  for (const [index, field] of fields.entries()) {
    const set = readField(texts[index] ?? '', field);
    if (typeof set === 'string') return set;
    sets.push(set);
  }
  const [minutes, hours, days, months, weekdays] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (weekdays.has(7)) weekdays.add(0);
  const restricted = (text: string | undefined) => !text?.startsWith('*');
  const times: CronTimes = {
    minutes: [...minutes].sort((a, b) => a - b),
    hours: [...hours].sort((a, b) => a - b),
    days,
    months,
    weekdays,
    eitherDay: restricted(texts[2]) && restricted(texts[4]),
  };
  return nextTime(times, 0) === undefined ? 'names a day that there never is' : times;
}

/** The first moment after `after` (epoch milliseconds) that the schedule names. */
export function nextTime(times: CronTimes, after: number): number | undefined {
  const firstDay = Math.floor(after / dayMs) * dayMs;
  for (let day = 0; day <= daysAhead; day += 1) {
    const start = firstDay + day * dayMs;
    if (!namesDay(times, new Date(start))) continue;
    for (const hour of times.hours)
      for (const minute of times.minutes) {
        const moment = start + (hour * 60 + minute) * 60_000;
        if (moment > after) return moment;
      }
  }
  return undefined;
}

function namesDay({ days, months, weekdays, eitherDay }: CronTimes, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [byDay, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

function readField(text: string, field: Field): Set<number> | string {
  const found = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const match = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/.exec(part);
    const [, all, from = '', to, step] = match ?? [];
    const first = all ? field.least : numberOf(from, field);
    // `5/10` means: from 5 on.
    const last = to === undefined ? (all || step ? field.most : first) : numberOf(to, field);
    const by = Number(step ?? 1);
    if (!match || first === undefined || last === undefined || first > last || by === 0)
      return `has a mistake in the ${field.name}: ${part || 'nothing'}`;
    for (let value = first; value <= last; value += by) found.add(value);
  }
  return found;
}

function numberOf(text: string, { least, most, words }: Field): number | undefined {
  const named = words?.indexOf(text) ?? -1;
  if (named >= 0) return named + least;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}
