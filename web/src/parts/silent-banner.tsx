// Says that what is shown of an entity is from before its agent fell silent.
import { now } from '../lib/clock.ts';
import { dateTime, duration } from '../lib/format.ts';

interface Props {
  readonly entity: string;
  /** The last that is known, in Unix seconds. */
  readonly since: number;
}

export const SilentBanner = ({ entity, since }: Props) => (
  <p class="stale-bar" role="status" title={dateTime(since * 1000)}>
    The agent of {entity} is silent. What its checks say is {duration(now.value / 1000 - since)} old: nobody
    knows how they are now.
  </p>
);
