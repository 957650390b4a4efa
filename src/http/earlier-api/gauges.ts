// What the API of the earlier generation tells Prometheus, beside the figures of the API.
import type { ShowGauge } from '../metrics.ts';

export interface EarlierFigures {
  readonly unreadAnswerBytes: number;
  readonly subscriptions: number;
}

export const showEarlierGauges = (show: ShowGauge, figures: EarlierFigures): void => {
  show(
    'mon_earlier_unread_answer_bytes',
    'Large answers of the earlier API that clients have not read yet, bytes.',
    () => figures.unreadAnswerBytes,
  );
  show(
    'mon_earlier_subscriptions',
    'Subscriptions of the clients that are connected to the earlier WebSocket.',
    () => figures.subscriptions,
  );
};
