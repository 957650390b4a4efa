// Prometheus gauges of the earlier API.
import type { ShowGauge } from '../metrics.ts';

export interface EarlierFigures {
  readonly unreadAnswerBytes: number;
  readonly subscriptions: number;
}

export const showEarlierGauges = (show: ShowGauge, figures: EarlierFigures): void => {
  show(
    'mon_earlier_unread_answer_bytes',
    'Unread bytes of large responses of the earlier API.',
    () => figures.unreadAnswerBytes,
  );
  show(
    'mon_earlier_subscriptions',
    'Subscriptions of clients connected to the earlier WebSocket.',
    () => figures.subscriptions,
  );
};
