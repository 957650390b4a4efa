// Arrow heads.
export const Markers = () => (
  <defs>
    {['line', 'dim', 'taken'].map((name) => (
      <marker
        key={name}
        id={`arrow-${name}`}
        class={`arrow ${name}`}
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        markerUnits="userSpaceOnUse"
        orient="auto"
      >
        <path d="M0 .8 7.2 4 0 7.2z" />
      </marker>
    ))}
  </defs>
);
