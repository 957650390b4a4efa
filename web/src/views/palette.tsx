// Ctrl+K: go anywhere, do anything, by typing a bit of its name, or an order such as `silence web-01 for 1 h`.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useAccessToSome } from '../lib/access.ts';
import { readCommand } from '../lib/command-text.ts';
import { namespace, namespaces } from '../lib/namespaces.ts';
import { bestOf, fixedChoices, foundChoices, type PaletteChoice } from '../lib/palette-choices.ts';

export const isPaletteOpen = signal(false);

const typingMs = 120;
const maxNamespaces = 50;

/** What the backend found for the text, and whether it is still on its way. */
const useFound = (text: string): { readonly found: readonly PaletteChoice[]; readonly isBusy: boolean } => {
  const answer = useSignal<{ readonly to: string; readonly choices: readonly PaletteChoice[] }>({
    to: '',
    choices: [],
  });
  useEffect(() => {
    let isLeft = false;
    const timer = setTimeout(async () => {
      const choices = await foundChoices(text);
      if (!isLeft) answer.value = { to: text, choices };
    }, typingMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [text]);
  // Until the answer is there, the one before is better than none.
  return { found: text === '' ? [] : answer.value.choices, isBusy: answer.value.to !== text };
};

export const Palette = () => {
  const holder = useRef<HTMLDialogElement>(null);
  const open = isPaletteOpen.value;
  // Before the next key comes: what is typed at once after Ctrl+K belongs into the field.
  useLayoutEffect(() => {
    if (open) holder.current?.showModal();
    else holder.current?.close();
  }, [open]);
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog closes with Escape by itself
    <dialog
      ref={holder}
      class="palette"
      aria-label="Go to"
      onClose={close}
      onClick={(event) => {
        if (event.target === holder.current) close();
      }}
    >
      {open && <Field close={close} />}
    </dialog>
  );
};

const Field = ({ close }: { close: () => void }) => {
  const text = useSignal('');
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const { found, isBusy } = useFound(text.value);
  useAccessToSome(namespaces.value.slice(0, maxNamespaces));
  const isOrder = readCommand(text.value) !== undefined;
  const choices = bestOf(text.value, isOrder ? found : [...fixedChoices(), ...found]);
  const index = Math.max(0, Math.min(at.value, choices.length - 1));
  useEffect(() => {
    list.current?.querySelector('.at')?.scrollIntoView({ block: 'nearest' });
  }, [index]);
  const type = (next: string): void => {
    text.value = next;
    at.value = 0;
  };
  const choose = (choice: PaletteChoice | undefined): void => {
    if (choice === undefined) return;
    if (choice.fill !== undefined) return type(choice.fill);
    close();
    choice.run();
  };
  const steer = (event: KeyboardEvent): void => {
    const chosen = choices[index];
    if (event.key === 'ArrowDown') at.value = Math.min(choices.length - 1, index + 1);
    else if (event.key === 'ArrowUp') at.value = Math.max(0, index - 1);
    else if (event.key === 'Enter') choose(chosen);
    else if (event.key === 'Tab' && !event.shiftKey && chosen !== undefined) type(chosen.fill ?? chosen.text);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={choices.length === 0 ? undefined : `palette-${index}`}
        placeholder={`Go to an event, entity, page… or silence web-01 for 1 h`}
        aria-label="Go to"
        value={text.value}
        autofocus
        onKeyDown={steer}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <div ref={list} id="palette-list" class="palette-list" role="listbox" aria-label="Choices">
        {choices.map((choice, each) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
          <div
            key={`${choice.kind}/${choice.text}`}
            id={`palette-${each}`}
            class={`choice ${each === index ? 'at' : ''}`}
            role="option"
            tabIndex={-1}
            aria-selected={each === index}
            onClick={() => choose(choice)}
          >
            <bdi>{choice.text}</bdi>
            <span class="dim">{choice.kind}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p class="dim" role="status">
          {isBusy
            ? 'Looking…'
            : isOrder
              ? `Nothing in ${namespace.value} or elsewhere that this can be done to.`
              : 'Nothing matches.'}
        </p>
      )}
    </>
  );
};
