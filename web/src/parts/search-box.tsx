// A search field that `/` jumps to. Tells what was typed after a short pause, so that typing never stutters.
import { useEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../lib/keys.ts';

const pauseMs = 180;

interface Props {
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (text: string) => void;
}

export const SearchBox = ({ value, placeholder, onChange }: Props) => {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current) field.current.value = value;
  }, [value]);
  useShortcuts([{ keys: '/', what: 'Search', run: () => field.current?.focus() }]);
  return (
    <input
      ref={field}
      type="search"
      class="search"
      defaultValue={value}
      placeholder={placeholder}
      aria-label={placeholder}
      onInput={(event) => {
        const text = event.currentTarget.value;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(text), pauseMs);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
};
