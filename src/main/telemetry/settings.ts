// Whether a backend records traces: `--otlp-endpoint`, and the share of them.
import { SettingsError } from '../../program/resolve.ts';
import type { Telemetry, TelemetryOptions } from './open-telemetry.ts';

export interface TelemetrySettings {
  readonly otlpEndpoint: string;
  readonly traceRatio: number;
}

/** Undefined without an endpoint: then nothing of OpenTelemetry is loaded. Throws a SettingsError. */
export const startTelemetry = async (
  { otlpEndpoint, traceRatio }: TelemetrySettings,
  options: Omit<TelemetryOptions, 'endpoint' | 'ratio'>,
): Promise<Telemetry | undefined> => {
  if (otlpEndpoint === '') return undefined;
  const url = URL.canParse(otlpEndpoint) ? new URL(otlpEndpoint) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new SettingsError(
      '--otlp-endpoint: must be the base URL of an OTLP/HTTP collector, such as http://127.0.0.1:4318',
    );
  if (traceRatio > 1) throw new SettingsError(`--trace-ratio: must be from 0 to 1 (got ${traceRatio})`);
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry({ ...options, endpoint: otlpEndpoint, ratio: traceRatio });
};
