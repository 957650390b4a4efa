// What the machine itself says of the state or the transition that was clicked on.
import type { Drawing } from '../chart/load-chart.ts';

export const PickedNote = ({
  drawing,
  picked,
}: {
  drawing: Drawing;
  picked: { state?: string; transition?: string };
}) => {
  const { graph } = drawing;
  const state = graph.states.find((one) => one.id === picked.state);
  const line = graph.transitions.find((one) => one.id === picked.transition);
  if (line !== undefined)
    return (
      <p class="picked-note">
        <b>{line.label}</b> {graph.events[line.event] ?? line.description}
        {line.guard !== '' && (
          <>
            {' '}
            Only if <code>{line.guard}</code>.
          </>
        )}
        {line.actions.length > 0 && (
          <>
            {' '}
            Does <code>{line.actions.join(', ')}</code>.
          </>
        )}
      </p>
    );
  if (state !== undefined)
    return (
      <p class="picked-note">
        <b>{state.id}</b> {state.description || 'No description.'}
      </p>
    );
  return (
    <p class="picked-note dim">
      Click a state or a transition to read what it means. Ctrl and wheel zooms, dragging moves.
    </p>
  );
};
