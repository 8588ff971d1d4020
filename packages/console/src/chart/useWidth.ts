import { useCallback, useState } from 'react';

/** Measures an element: returns its reference, and its width in pixels, 0 before it is in the page. */
export function useWidth(): [reference: (element: HTMLElement | null) => void, width: number] {
  const [width, setWidth] = useState(0);
  const reference = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = (): void => setWidth(element.clientWidth);
    // The first width is known before anything is painted.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [reference, width];
}
