// What an import says: what it made, and every part that has no counterpart or was changed, with the reason.
export interface ReportLine {
  /** e.g. `check disk: dependencies` or `dump.yaml: document 3`. */
  readonly what: string;
  readonly why: string;
}

export class Report {
  readonly left: ReportLine[] = [];
  /** Translated, but somebody should look at it. */
  readonly notes: ReportLine[] = [];

  /** Has no counterpart: not imported. */
  leaveOut(what: string, why: string): void {
    this.left.push({ what, why });
  }

  note(what: string, why: string): void {
    this.notes.push({ what, why });
  }
}
