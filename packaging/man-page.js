// A manual page from what `--help` prints: the same words, in the form man(1) shows.

/** A line of roff: nothing in it is an instruction. */
const plain = (line) =>
  line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');

/** `sections`: the words of each command, and its help. */
export const manPage = (program, version, date, sections) => {
  const first = sections[0]?.[1].split('\n\n')[1] ?? '';
  const summary = first.replaceAll('\n', ' ').replace(/\.$/, '');
  const body = sections.flatMap(([words, help]) => [
    `.SH ${words.length === 0 ? 'SYNOPSIS' : words.join(' ').toUpperCase()}`,
    '.nf',
    ...help.trimEnd().split('\n').map(plain),
    '.fi',
  ]);
  return [
    `.TH ${program.toUpperCase()} 1 "${date}" "mon ${version}" "mon"`,
    '.SH NAME',
    plain(`${program} - ${summary}`),
    ...body,
    '',
  ].join('\n');
};
