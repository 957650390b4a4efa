// Moving about in a drawing with pointer and wheel.
import { useEffect, useRef } from 'preact/hooks';
import { type Frame, zoomed } from './geometry.ts';

/** Drag moves, wheel with Ctrl (or a pinch) zooms; a plain wheel scrolls the page as ever. */
export const usePanAndZoom = (
  holder: { readonly current: SVGSVGElement | null },
  frame: Frame,
  whole: Frame,
  setFrame: (frame: Frame) => void,
): void => {
  const state = useRef({ frame, whole });
  state.current = { frame, whole };
  useEffect(() => {
    const svg = holder.current;
    if (svg === null) return;
    const pointOf = (event: MouseEvent): [number, number] => {
      const matrix = svg.getScreenCTM()?.inverse();
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
      return [point.x, point.y];
    };
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { frame: from, whole: all } = state.current;
      setFrame(zoomed(from, all, Math.exp(event.deltaY / 300), pointOf(event)));
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const start = { x: event.clientX, y: event.clientY, frame: state.current.frame };
      const scale = 1 / (svg.getScreenCTM()?.a ?? 1);
      const move = (next: PointerEvent): void => {
        const dx = next.clientX - start.x;
        const dy = next.clientY - start.y;
        if (Math.hypot(dx, dy) < 4) return;
        setFrame({ ...start.frame, x: start.frame.x - dx * scale, y: start.frame.y - dy * scale });
      };
      const up = (): void => {
        removeEventListener('pointermove', move);
        removeEventListener('pointerup', up);
        removeEventListener('pointercancel', up);
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', up);
      addEventListener('pointercancel', up);
    };
    svg.addEventListener('wheel', wheel, { passive: false });
    svg.addEventListener('pointerdown', down);
    return () => {
      svg.removeEventListener('wheel', wheel);
      svg.removeEventListener('pointerdown', down);
    };
  }, []);
};
