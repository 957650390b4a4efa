// The sign of the program: one state, a transition, one active state.
export const Mark = () => (
  <svg class="mark" width="26" height="20" viewBox="0 0 26 20" aria-hidden="true">
    <rect x="1" y="5" width="9" height="9" rx="3" class="from" />
    <path d="M10.5 9.5h3.6" />
    <path d="M13.6 6.8 17 9.5l-3.4 2.7z" class="tip" />
    <rect x="16.6" y="5" width="9" height="9" rx="3" class="to" />
  </svg>
);
