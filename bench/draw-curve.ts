import type { Figures } from './open-loop.ts';

const width = 760;
const height = 380;
const margin = { left: 70, right: 70, top: 40, bottom: 50 };
const colours = { p50: '#2b6cb0', p99: '#c05621', turnedAway: '#718096' };

interface Curve {
  steps: Figures[];
  beyond: Figures[];
  p99MaxMs: number;
}

/** Returns the curve as SVG: waiting times (logarithmic) and the share of rejected requests, over the rate. */
export function drawCurve({ steps, beyond, p99MaxMs }: Curve): string {
  const all = [...steps, ...beyond].toSorted((a, b) => a.rate - b.rate);
  const rates = all.map(({ rate }) => rate);
  const [least = 1, most = 1] = [rates[0], rates.at(-1)];
  const times = all.flatMap(({ p50, p99 }) => [p50, p99]).filter((time) => Number.isFinite(time));
  const low = 10 ** Math.floor(Math.log10(Math.min(...times)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...times, p99MaxMs)));
  const x = (rate: number): number => {
    const share = (Math.log(rate) - Math.log(least)) / (Math.log(most) - Math.log(least) || 1);
    return margin.left + share * (width - margin.left - margin.right);
  };
  const bottom = height - margin.bottom;
  const up = (share: number): number => bottom - share * (bottom - margin.top);
  const y = (ms: number): number => up((Math.log(ms) - Math.log(low)) / (Math.log(high) - Math.log(low)));
  const line = (name: keyof typeof colours, points: [number, number][]): string =>
    `<polyline fill="none" stroke="${colours[name]}" stroke-width="2" points="${points.map((at) => at.map((n) => n.toFixed(1)).join(',')).join(' ')}"/>` +
    points
      .map(([a, b]) => `<circle cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="3" fill="${colours[name]}"/>`)
      .join('');
  const text = (at: [number, number], words: string, anchor: string, fill = '#2d3748'): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" fill="${fill}">${words}</text>`;
  const decades = Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, at) => low * 10 ** at);
  const grid = decades.map(
    (ms) =>
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}" stroke="#e2e8f0"/>${text([margin.left - 8, y(ms) + 4], `${ms} ms`, 'end')}`,
  );
  const finite = all.filter(({ p99 }) => Number.isFinite(p99));
  const shares = all.map(({ rate, sent, statuses }): [number, number] => [
    x(rate),
    up((statuses['503'] ?? 0) / sent),
  ]);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...grid,
    ...[0, 0.5, 1].map((share) =>
      text([width - margin.right + 8, up(share) + 4], `${share * 100} %`, 'start', colours.turnedAway),
    ),
    ...rates
      .filter((_, at) => at % 2 === 0 || at === rates.length - 1)
      .map((rate) => text([x(rate), bottom + 18], String(rate), 'middle')),
    text(
      [width / 2, height - 12],
      'requests a second (mixed traffic, sent whether or not answers come)',
      'middle',
    ),
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(p99MaxMs).toFixed(1)}" y2="${y(p99MaxMs).toFixed(1)}" stroke="${colours.p99}" stroke-dasharray="4 4"/>`,
    line('turnedAway', shares),
    line(
      'p50',
      finite.map(({ rate, p50 }) => [x(rate), y(p50)]),
    ),
    line(
      'p99',
      finite.map(({ rate, p99 }) => [x(rate), y(p99)]),
    ),
    text([margin.left, 22], 'p50 of what is answered', 'start', colours.p50),
    text([margin.left + 190, 22], 'p99', 'start', colours.p99),
    text([width - margin.right, 22], 'share of refused requests (503)', 'end', colours.turnedAway),
    '</svg>',
  ].join('\n')}\n`;
}
