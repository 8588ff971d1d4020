import { Cron } from 'croner';

/** Fields of a cron expression (POSIX crontab), in their order. */
const fieldNames = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];
/** Numbers, lists, ranges, steps, and three-letter names of months and days; croner accepts more, such as `L`. */
const fieldPattern = /^(?:[\d*,/-]|[a-z]{3})+$/i;

/** Parses a cron expression, in UTC. Returns a description of the error in an invalid one. */
export function readCron(expression: string): Cron | string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== fieldNames.length) return `must have five fields: ${fieldNames.join(', ')}`;
  for (const [index, name] of fieldNames.entries()) {
    const field = fields[index] ?? '';
    const alone = fieldNames.map((_, other) => (other === index ? field : '*'));
    if (!fieldPattern.test(field) || !parse(alone)) return `has an error in the ${name}: ${field}`;
  }
  const cron = parse(fields);
  return cron && nextTime(cron, 0) !== undefined ? cron : 'names a day that never occurs';
}

/** Returns the first time of a schedule after `after`, in epoch milliseconds. */
export function nextTime(cron: Cron, after: number): number | undefined {
  return cron.nextRun(new Date(after))?.getTime();
}

function parse(fields: readonly string[]): Cron | undefined {
  try {
    // `sloppyRanges` allows `5/20`: from 5 on.
    return new Cron(fields.join(' '), { timezone: 'UTC', mode: '5-part', sloppyRanges: true });
  } catch {
    return undefined;
  }
}
