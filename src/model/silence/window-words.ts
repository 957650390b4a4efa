// Words for the regular windows of silences, for programs and the page; it imports nothing.
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

const short = (day: string): string => `${day.slice(0, 1).toUpperCase()}${day.slice(1, 3)}`;

interface Window {
  readonly days?: readonly string[] | null;
  readonly begin: string;
  readonly end: string;
  readonly time_zone?: string;
}

/** `Sun 02:00-04:00 Europe/Berlin` */
export const describeWindow = ({ days, begin, end, time_zone: zone = 'UTC' }: Window): string =>
  `${!days || days.length === 0 ? 'daily' : days.map(short).join(',')} ${begin}-${end} ${zone}`;
