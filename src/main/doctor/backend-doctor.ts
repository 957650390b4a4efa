// The checks of `mon-backend doctor`: everything that can keep a backend with these settings from working.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BackendSettings } from '../backend-flags.ts';
import { passwordFile } from '../first-user.ts';
import { parseListenAddress, parsePublicUrl } from '../listen-address.ts';
import { runningBackend } from '../maintenance/maintenance-command.ts';
import { createTrust } from '../trust.ts';
import { brokerProbes } from './brokers.ts';
import { authoritiesProbe, pairProbe } from './certificates.ts';
import { examine, type Finding, type Probe, warn } from './finding.ts';
import { folderProbe } from './folders.ts';
import { type PortQuestion, portProbe } from './ports.ts';
import { storeProbe } from './store-probe.ts';

const portsOf = (settings: BackendSettings, isOurs: PortQuestion['isOurs']): readonly Probe[] => {
  const api = parseListenAddress('--api-listen-address', settings.apiListenAddress);
  const { agentHost, agentPort, earlierApiHost, earlierApiPort } = settings;
  return [
    portProbe({ flag: '--api-listen-address', ...api, isOurs }),
    portProbe({ flag: '--agent-port', host: agentHost, port: agentPort, isOurs }),
    ...(earlierApiPort === 0
      ? []
      : [portProbe({ flag: '--earlier-api-port', host: earlierApiHost, port: earlierApiPort, isOurs })]),
  ];
};

const initialPassword = ({ stateDir }: BackendSettings): Probe => ({
  area: 'folder',
  ask: () => {
    const path = join(stateDir, passwordFile);
    return existsSync(path)
      ? [warn('folder', `${path} is still there`, 'change the password it holds, then remove the file')]
      : [];
  },
});

/** Runs with the backend stopped or running. */
export const examineBackend = async (settings: BackendSettings): Promise<readonly Finding[]> => {
  const running = await runningBackend(settings);
  const { authorities } = createTrust(settings.trustedCaFile);
  const origin = parsePublicUrl('--api-url', settings.apiUrl);
  const host = origin === undefined ? hostname() : new URL(origin).hostname;
  return examine([
    ...portsOf(settings, ({ pid }) => pid === running?.pid),
    folderProbe('--state-dir', settings.stateDir),
    folderProbe('--cache-dir', settings.cacheDir),
    initialPassword(settings),
    pairProbe(settings.certFile, settings.keyFile, [host]),
    authoritiesProbe('--trusted-ca-file', settings.trustedCaFile),
    authoritiesProbe('--agent-auth-trusted-ca-file', settings.agentAuthTrustedCaFile),
    authoritiesProbe('--earlier-brokers-ca-file', settings.earlierBrokersCaFile),
    storeProbe(settings, running, authorities),
    ...brokerProbes(settings.earlierBrokers, {
      caFile: settings.earlierBrokersCaFile,
      certFile: settings.earlierBrokersCertFile,
      keyFile: settings.earlierBrokersKeyFile,
    }),
  ]);
};
