/** ISO 8601 with a time zone, in its long or short form. */
const moment =
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)T(?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<part>\d+))?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * Converts the DT of an `@RG` (SAM §1.3: an ISO 8601 date or time) to the form of other timestamps: RFC 3339, UTC,
 * milliseconds. A date alone, or a time without a zone, is no instant: it remains as written.
 */
export function runTimeOf(text: string): string {
  const {
    year,
    month,
    day,
    hour,
    minute,
    second = '00',
    part = '',
    zone = '',
  } = moment.exec(text)?.groups ?? {};
  // `Date` reads 30 February as 2 March.
  if (new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day)) return text;
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : `${zone.replace(':', '')}00`.replace(/^(...)(..).*/, '$1:$2');
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${part.padEnd(3, '0').slice(0, 3)}${offset}`,
  );
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
