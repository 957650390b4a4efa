// Enter and the space bar press what is no real button.
export const onEnter =
  (act: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  };
