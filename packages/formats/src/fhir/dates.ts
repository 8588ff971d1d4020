/** FHIR dates (R4 §2.24.0.1): a year, a month, a day, or an instant with offset. */

/** Only a day has a time; seconds and the offset may be missing, and some servers write the offset without its colon. */
const partialDate =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(?:[01]\d|2[0-3])(?::[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?)?(?:Z|[-+](?:0\d|1[0-4]):?[0-5]\d)?)?)?)?$/;
const instant =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|z|([+-])(\d{2}):?(\d{2}))?)?$/;
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The previous date, which the next fields and resources mostly repeat. */
let known = '';
let knownDay: string | undefined;

/** Returns the calendar day that a FHIR date names in its own offset; the first day of a month or year. Undefined for other text. */
export function dateOf(text: string): string | undefined {
  if (text === known) return knownDay;
  const day = dayIn(text);
  // Others may be long.
  if (day !== undefined) [known, knownDay] = [text, day];
  return day;
}

function dayIn(text: string): string | undefined {
  const match = partialDate.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '01', day = '01'] = match;
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  return `${year}-${month}-${day}`;
}

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || day < 1 || day > (monthDays[month - 1] ?? 0)) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month !== 2 || day < 29 || leap;
}

/** Returns an instant as `YYYY-MM-DD HH:MM:SS.ffffff` in UTC; without an offset it is read as UTC. Undefined for other text. */
export function instantOf(text: string): string | undefined {
  const match = instant.exec(text);
  if (!match) return undefined;
  const [
    ,
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    sign,
    offsetHour,
    offsetMinute,
  ] = match;
  if (dateOf(day) === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60)
    return undefined;
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === '-' ? -1 : 1);
  const milliseconds = Date.parse(`${day}T${hour}:${minute}:00Z`) + Number(second) * 1000 - offset * 60_000;
  const utc = new Date(milliseconds).toISOString();
  if (utc.length !== 24) return undefined;
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}`;
}
