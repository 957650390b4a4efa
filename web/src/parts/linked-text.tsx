// Text in which addresses of the web can be followed. It leads away: the page it came from is not told.
import { withLinks } from '../lib/output-text.ts';

export const LinkedText = ({ text }: { text: string }) => (
  <bdi>
    {withLinks(text).map(({ from, to, isLink }) => {
      const part = text.slice(from, to);
      return isLink ? <Away key={from} to={part} /> : part;
    })}
  </bdi>
);

export const Away = ({ to, children }: { to: string; children?: preact.ComponentChildren }) => (
  <a href={to} target="_blank" rel="noopener noreferrer">
    {children ?? to}
  </a>
);
