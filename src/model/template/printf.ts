// `printf` for templates: Go's verbs for JSON values.
import { maxTemplateCharacters } from '../limits.ts';
import { formatNumber, formatValue, typeName, ValueError } from './values.ts';

/** Maximum width and precision, so that a format cannot exhaust memory. */
const maxWidth = 1000;

/** Maximum number of extra arguments reported. */
const maxExtra = 16;

const directive = /%([-+# 0]*)(\d+)?(?:\.(\d+)?)?([\s\S])/g;

interface Form {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
}

const exponent = (text: string): string =>
  text.replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);

const formatFloat = (verb: string, value: number, precision: number | null): string => {
  if (verb === 'e' || verb === 'E') return exponent(value.toExponential(Math.min(precision ?? 6, 100)));
  if (verb === 'f' || verb === 'F') return value.toFixed(Math.min(precision ?? 6, 100));
  return precision === null
    ? formatNumber(value)
    : String(Number(value.toPrecision(Math.max(1, Math.min(precision, 100)))));
};

const radix: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2 };

const formatInteger = (verb: string, value: number): string => {
  if (verb === 'c') return String.fromCodePoint(Math.max(0, Math.min(value, 0x10ffff)));
  if (verb === 'U') return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;
  if (verb === 'q') return `'${String.fromCodePoint(Math.max(0, Math.min(value, 0x10ffff)))}'`;
  const digits = value.toString(radix[verb] ?? 10);
  return verb === 'X' ? digits.toUpperCase() : digits;
};

const formatNumeric = (verb: string, value: number, form: Form): string | null => {
  if ('eEfFgG'.includes(verb))
    return formatFloat(verb.toLowerCase() === 'g' ? 'g' : verb, value, form.precision);
  if (!'dxXobcUq'.includes(verb) || !Number.isInteger(value)) return null;
  return formatInteger(verb, value);
};

const formatText = (verb: string, value: string, precision: number | null): string | null => {
  const cut = precision === null ? value : [...value].slice(0, precision).join('');
  if (verb === 's') return cut;
  if (verb === 'q') return JSON.stringify(cut);
  if (verb !== 'x' && verb !== 'X') return null;
  const hex = Buffer.from(cut).toString('hex');
  return verb === 'X' ? hex.toUpperCase() : hex;
};

const formatOne = (verb: string, value: unknown, form: Form): string => {
  if (verb === 'v') return formatValue(value);
  if (verb === 'T') return typeName(value);
  if (typeof value === 'boolean' && verb === 't') return String(value);
  const special =
    typeof value === 'number'
      ? formatNumeric(verb, value, form)
      : typeof value === 'string'
        ? formatText(verb, value, form.precision)
        : null;
  if (special !== null) return special;
  if (typeof value === 'object' && (verb === 's' || verb === 'd')) return formatValue(value);
  return `%!${verb}(${typeName(value)}=${formatValue(value)})`;
};

const pad = (text: string, { flags, width }: Form, isNumber: boolean): string => {
  const signed = isNumber && flags.includes('+') && !text.startsWith('-') ? `+${text}` : text;
  if (flags.includes('-')) return signed.padEnd(width);
  if (!flags.includes('0') || !isNumber) return signed.padStart(width);
  const sign = /^[+-]/.exec(signed)?.[0] ?? '';
  return sign + signed.slice(sign.length).padStart(width - sign.length, '0');
};

/** Mismatched verbs are reported inside the text, like Go does. Only too much output is an error. */
export const printf = (format: string, args: readonly unknown[]): string => {
  let next = 0;
  let total = 0;
  const text = format.replaceAll(directive, (_, flags: string, width, precision, verb: string) => {
    if (verb === '%') return '%';
    if (next >= args.length) return `%!${verb}(MISSING)`;
    const value = args[next];
    next += 1;
    const hasPrecision = /\./.test(_);
    const form: Form = {
      flags,
      width: Math.min(Number(width ?? 0), maxWidth),
      precision: hasPrecision ? Math.min(Number(precision ?? 0), maxWidth) : null,
    };
    const piece = pad(formatOne(verb, value, form), form, typeof value === 'number');
    total += piece.length;
    if (total > maxTemplateCharacters)
      throw new ValueError(`text longer than ${maxTemplateCharacters} characters`);
    return piece;
  });
  const extra = args.slice(next, next + maxExtra).map((value) => `${typeName(value)}=${formatValue(value)}`);
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
};
