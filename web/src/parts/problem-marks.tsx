// Marks for what can't work as it stands: a sign with the reasons in a list, and the reasons in full beside one resource.

const warningSign = '⚠';

export const ProblemMark = ({ reasons }: { reasons: readonly string[] | undefined }) =>
  reasons === undefined || reasons.length === 0 ? null : (
    <span
      class="problem-mark"
      role="img"
      aria-label={`Problem: ${reasons.join('; ')}`}
      title={reasons.join('\n')}
    >
      {warningSign}
    </span>
  );

export const ProblemList = ({ reasons }: { reasons: readonly string[] | undefined }) =>
  reasons === undefined || reasons.length === 0 ? null : (
    <section class="problem-list" aria-label="Problems">
      <b>
        <span aria-hidden="true">{warningSign}</span> This cannot work as it stands
      </b>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </section>
  );
