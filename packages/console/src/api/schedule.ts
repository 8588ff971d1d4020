/** Schedules that are offered; times are UTC. */
export const schedules = ['0 * * * *', '0 2 * * *', '0 2 * * 0', '0 2 1 * *'].map((value) => ({
  value,
  label: inWords(value),
}));

/** Puts a schedule of five cron fields into words. */
export function inWords(cron: string): string {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.trim().split(/\s+/);
  const dates = [
    day !== '*' && `on day ${listed(day)} of the month`,
    weekday !== '*' && `on ${listed(weekday, dayName)}`,
  ].filter((text) => text !== false);
  const isNumber = (field: string): boolean => /^\d+$/.test(field);
  const months = month === '*' ? '' : `, in ${listed(month, monthName)}`;
  if (isNumber(minute) && isNumber(hour)) {
    const time = `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')} UTC`;
    return begun(`${dates.length > 0 ? dates.join(' or ') : 'every day'} ${time}${months}`);
  }
  const inHours = hour.startsWith('*/') ? every(hour, 'hour', 'hours') : `in hour ${listed(hour)}`;
  const hours = hour === '*' ? '' : `, ${inHours} (UTC)`;
  const date = dates.length > 0 ? `, ${dates.join(' or ')}` : '';
  const minutes = minute === '0' && hour === '*' ? 'every hour' : atMinutes(minute, hour);
  return begun(`${minutes}${hours}${date}${months}`);
}

function atMinutes(minute: string, hour: string): string {
  if (minute === '*') return 'every minute';
  if (minute.startsWith('*/')) return every(minute, 'minute', 'minutes');
  return `at minute ${listed(minute)}${hour === '*' ? ' of every hour' : ''}`;
}

function every(field: string, one: string, many: string): string {
  const [, step] = /^\*\/(\d+)$/.exec(field) ?? [];
  return step === undefined ? `${one} ${listed(field)}` : `every ${step} ${many}`;
}

/** Names the values of a field: numbers, ranges, steps, lists. */
function listed(field: string, name: (value: string) => string = (value) => value): string {
  const parts = field.split(',').map((part) => {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range.split('-');
    const values = from === '*' ? 'any' : to === undefined ? name(from) : `${name(from)} to ${name(to)}`;
    return step === undefined ? values : `${values}, each ${step}`;
  });
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Name of a day of the week: 0 and 7 are Sunday, 2026-11-01 was one. */
function dayName(value: string): string {
  return named(value, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'], 0, (number) =>
    new Date(Date.UTC(2026, 10, 1 + number)).toLocaleString('en', { weekday: 'long', timeZone: 'UTC' }),
  );
}

function monthName(value: string): string {
  const names = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
  return named(value, names, 1, (number) =>
    new Date(Date.UTC(2026, number - 1, 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
  );
}

function named(value: string, names: string[], first: number, nameOf: (number: number) => string): string {
  const at = names.indexOf(value.toLowerCase());
  return nameOf(at === -1 ? Number(value) : at + first);
}

function begun(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
