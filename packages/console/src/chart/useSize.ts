import { useCallback, useState } from 'react';

/** Width and height of an element in pixels. */
interface Size {
  width: number;
  height: number;
}

/** Measures an element: returns its reference, and its size, 0 before it is in the page. */
export function useSize(): [reference: (element: HTMLElement | null) => void, size: Size] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const reference = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((now) => (now.width === width && now.height === height ? now : { width, height }));
    };
    // The first size is known before anything is painted.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [reference, size];
}
