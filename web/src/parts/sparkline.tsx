// A line of the last values, from zero up; the value at any moment can be pointed at.
import { useSignal } from '@preact/signals';

const width = 220;
const height = 44;

interface Props {
  /** One a second, oldest first. */
  readonly values: readonly number[];
  readonly label: string;
  readonly tell: (value: number) => string;
}

export const Sparkline = ({ values, label, tell }: Props) => {
  /** How many seconds ago the pointer is. */
  const pointed = useSignal<number | undefined>(undefined);
  const top = Math.max(...values, 0) || 1;
  const step = width / Math.max(1, values.length - 1);
  const yOf = (value: number): number => height - 2 - (value / top) * (height - 4);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${yOf(value).toFixed(1)}`);
  const index = pointed.value === undefined ? -1 : values.length - 1 - pointed.value;
  const at = values[index];
  const point = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    pointed.value = Math.round((1 - share) * (values.length - 1));
  };
  return (
    <>
      <svg
        class="sparkline"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, last ${values.length} seconds, highest ${tell(top)}`}
        onPointerMove={point}
        onPointerLeave={() => {
          pointed.value = undefined;
        }}
      >
        {values.length > 1 && <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />}
        {values.length > 1 && <polyline points={points.join(' ')} />}
        {at !== undefined && <line x1={index * step} x2={index * step} y1={0} y2={height} />}
      </svg>
      <small class="num">
        {at === undefined ? `highest ${tell(Math.max(...values, 0))}` : `${tell(at)}, ${pointed.value} s ago`}
      </small>
    </>
  );
};
