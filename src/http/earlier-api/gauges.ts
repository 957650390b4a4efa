// Prometheus metrics of the earlier API.
import type { MetricBook } from '../metric-book.ts';

export interface EarlierFigures {
  readonly unreadAnswerBytes: number;
  readonly subscriptions: number;
}

export const showEarlierGauges = ({ gauge }: Pick<MetricBook, 'gauge'>, figures: EarlierFigures): void => {
  gauge(
    {
      name: 'mon_earlier_unread_answer_bytes',
      help: 'Unread bytes of large responses of the earlier API.',
    },
    () => figures.unreadAnswerBytes,
  );
  gauge(
    {
      name: 'mon_earlier_subscriptions',
      help: 'Subscriptions of clients connected to the earlier WebSocket.',
    },
    () => figures.subscriptions,
  );
};
