// A button that opens a short list of actions; closes after one, on Escape, and when the focus goes elsewhere.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface Props {
  readonly label: ComponentChildren;
  readonly title?: string;
  readonly children: ComponentChildren;
  /** Whether a click inside is the end of it. */
  readonly closesOnClick?: boolean;
}

/** A word is its own name; a sign needs one. */
const isSpoken = (label: ComponentChildren): boolean => typeof label === 'string' && /\w/.test(label);

export const Menu = ({ label, title, children, closesOnClick = true }: Props) => {
  const holder = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (holder.current !== null) holder.current.open = false;
  };
  return (
    <details
      ref={holder}
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
      onFocusOut={(event) => {
        if (!holder.current?.contains(event.relatedTarget as Node | null)) close();
      }}
    >
      <summary title={title} aria-label={isSpoken(label) ? undefined : title}>
        {label}
      </summary>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button inside is a click here */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only hears of clicks on what is inside */}
      <div onClick={() => closesOnClick && close()}>{children}</div>
    </details>
  );
};
