// What distributed tracing measures: a step with a beginning, an end and steps of its own. Absent unless a collector is configured.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** This span as the header and variable of W3C Trace Context: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  /** A step inside this one; it begins now. */
  child(name: string, attributes?: SpanAttributes): Span;
  /** With an error if the step failed. Further calls have no effect. */
  end(attributes?: SpanAttributes, error?: string): void;
}
