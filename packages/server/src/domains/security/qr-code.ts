import { encode } from 'uqr';

/** Modules of white around it (ISO/IEC 18004 §6.3.8). */
const border = 4;

/** A text as a QR code: SVG of one path, without script or style, as wide as its place. `label` is for who does not see it. */
export function qrCode(content: string, label: string): string {
  const { data, size } = encode(content, { ecc: 'M', border });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return `<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
