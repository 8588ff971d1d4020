/** Twice the pixels, for screens and paper with fine ones. */
const scale = 2;

/** Returns a drawing as a document of its own, black on white. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('style', 'color: #000; background: #fff; font-family: sans-serif');
  return new XMLSerializer().serializeToString(copy);
}

/** Returns a drawing as pixels. */
export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = svg.viewBox.baseVal;
  const image = new Image(width * scale, height * scale);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = new OffscreenCanvas(width * scale, height * scale);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot draw on a canvas.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/png' });
}
