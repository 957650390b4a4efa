// Checks certificates: validity dates, host names, and that the private key matches.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { readAuthorities } from '../../program/authorities.ts';
import { type Finding, fail, ok, type Probe, warn } from './finding.ts';
import { privateFile } from './folders.ts';

const area = 'certificate';
const dayMs = 86_400_000;
const warnDays = 30;
const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

const certificatesIn = (text: string): readonly X509Certificate[] =>
  [...text.matchAll(pem)].map(([one]) => new X509Certificate(one));

const day = (text: string): string => new Date(text).toISOString().slice(0, 10);

const dates = (file: string, { validFrom, validTo, subject }: X509Certificate, nowMs: number): Finding => {
  const name = `${file} (${subject.split('\n').at(-1)})`;
  const left = Math.floor((Date.parse(validTo) - nowMs) / dayMs);
  if (Date.parse(validFrom) > nowMs)
    return fail(
      area,
      `${name} is not valid before ${day(validFrom)}`,
      'correct the clock, or take another certificate',
    );
  if (left < 0)
    return fail(area, `${name} expired on ${day(validTo)}`, 'renew it, then send the program SIGHUP');
  if (left < warnDays)
    return warn(
      area,
      `${name} expires on ${day(validTo)}, in ${left} days`,
      'renew it, then send the program SIGHUP',
    );
  return ok(area, `${name} is valid until ${day(validTo)}`);
};

/** Asking for an address that is a name throws. */
const isNamed = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;

const names = (file: string, certificate: X509Certificate, hosts: readonly string[]): Finding[] => {
  if (certificate.subjectAltName === undefined)
    return [
      fail(
        area,
        `${file} has no subject alternative name, which clients ask for`,
        'make one that names its hosts there, not in the common name only',
      ),
    ];
  return hosts
    .filter((host) => !isNamed(certificate, host))
    .map((host) =>
      warn(
        area,
        `${file} does not name ${host} (it names ${certificate.subjectAltName})`,
        'clients that use this name will refuse it: name it in the certificate, or set --api-url to the name they use',
      ),
    );
};

/** A certificate with its key. `hosts`: the names clients use to reach this program; empty for client certificates. */
export const pairProbe = (
  certFile: string,
  keyFile: string,
  hosts: readonly string[] | undefined,
): Probe => ({
  area,
  ask: () => {
    if (certFile === '' && keyFile === '') return [];
    if (certFile === '' || keyFile === '')
      return [fail(area, 'only one of --cert-file and --key-file is set', 'set both or neither')];
    const [certificate] = certificatesIn(readFileSync(certFile, 'utf8'));
    if (certificate === undefined)
      return [fail(area, `${certFile} holds no certificate (PEM)`, 'correct --cert-file')];
    const isPair = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return [
      dates(certFile, certificate, Date.now()),
      ...(hosts === undefined ? [] : names(certFile, certificate, hosts)),
      isPair
        ? ok(area, `${keyFile} is the key of ${certFile}`)
        : fail(area, `${keyFile} is not the key of ${certFile}`, 'name the two files that belong together'),
      privateFile(area, keyFile),
    ];
  },
});

/** A file of certificate authorities. */
export const authoritiesProbe = (flag: string, file: string): Probe => ({
  area,
  ask: () =>
    file === ''
      ? []
      : certificatesIn(readAuthorities(file)).map((one) => dates(`${flag} ${file}`, one, Date.now())),
});
