// A line of the last values, from zero up.
const width = 220;
const height = 36;

export const Sparkline = ({ values, label }: { values: readonly number[]; label: string }) => {
  const top = Math.max(...values, 0) || 1;
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}, last ${values.length} seconds, highest ${top.toLocaleString('en')}`}
    >
      {values.length > 1 && <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />}
      {values.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
};
