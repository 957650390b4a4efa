// Who takes care of an incident, as a tag.
import { dateTime } from '../lib/format.ts';

interface Props {
  readonly owner: string;
  readonly comment: string;
  /** Unix seconds. */
  readonly at: number;
}

export const OwnerTag = ({ owner, comment, at }: Props) => (
  <span
    class="tag owner"
    title={`${owner} takes care of it since ${dateTime(at * 1000)}${comment === '' ? '' : `: ${comment}`}`}
  >
    <span aria-hidden="true">☑</span> <bdi>{owner}</bdi>
  </span>
);
