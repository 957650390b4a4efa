// The one dialog of the page; views pass what to show.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export const dialog = signal<{ readonly title: string; readonly body: ComponentChildren } | undefined>(
  undefined,
);
export const closeDialog = (): void => {
  dialog.value = undefined;
};

export const Dialog = () => {
  const holder = useRef<HTMLDialogElement>(null);
  const shown = dialog.value;
  const opened = useRef(shown);
  useLayoutEffect(() => {
    opened.current = shown;
    if (shown === undefined) holder.current?.close();
    else if (!holder.current?.open) holder.current?.showModal();
  }, [shown]);
  /** Told later than the dialog closed: the next one may be on its way, or open already. */
  const closed = (): void => {
    if (!holder.current?.open && dialog.peek() === opened.current) closeDialog();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog closes with Escape by itself
    <dialog
      ref={holder}
      onClose={closed}
      onClick={(event) => {
        if (event.target === holder.current) closeDialog();
      }}
    >
      {shown !== undefined && (
        <div class="dialog-body">
          <header>
            <h2>{shown.title}</h2>
            <button type="button" class="quiet" aria-label="Close" onClick={closeDialog}>
              ✕
            </button>
          </header>
          {shown.body}
        </div>
      )}
    </dialog>
  );
};
