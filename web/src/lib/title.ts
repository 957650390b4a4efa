// What the tab of the browser says: where one is, and how many of it there are.
import { useEffect } from 'preact/hooks';

/** `(3) Events · mon`; without a count, or at zero, the name alone. */
export const useTitle = (name: string, count = 0): void => {
  const title = `${count > 0 ? `(${count.toLocaleString('en')}) ` : ''}${name} · mon`;
  useEffect(() => {
    document.title = title;
  }, [title]);
};
