// import: takes over the configuration of the reference product, and of the generation before it.
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { readCoreSettings } from '../import/core/settings.ts';
import { translateCore } from '../import/core/translate.ts';
import { Report } from '../import/report.ts';
import { readReference } from '../import/sensu-go.ts';
import { writeImport } from '../import/write-import.ts';
import { toPrivateFile } from '../output/private-file.ts';
import { readDocuments } from '../sources/documents.ts';

export const importReference: Work = async (session) => {
  const report = new Report();
  const resources = await readReference(session, report);
  if (resources.length === 0 && report.left.length === 0)
    throw new CtlError('there is no resource in what was given');
  await writeImport(session, resources, report);
};

export const importCore: Work = async (session) => {
  const { given, settings } = session;
  const dirs = Array.isArray(given['config-dir']) ? (given['config-dir'] as string[]) : [];
  if (dirs.length === 0)
    throw new CtlError('name the folder with the configuration: --config-dir /etc/sensu/conf.d');
  const report = new Report();
  const core = await readCoreSettings(
    dirs,
    typeof given['config-file'] === 'string' ? given['config-file'] : undefined,
  );
  const { stringify } = await import('yaml');
  const text = translateCore(core.settings, settings.namespace, report)
    .map((resource) => stringify(resource, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
  const output = given.output;
  if (typeof output === 'string') await toPrivateFile(output, (write) => write(text));
  const name = typeof output === 'string' ? output : 'the translation';
  const resources = await readDocuments([{ name, text }], settings.namespace);
  session.note(`${core.files.length} files read`);
  if (resources.length === 0) throw new CtlError('nothing in these files can be translated');
  if (typeof output === 'string')
    return session.note(
      `${resources.length} resources are in ${output}; look at them, and run: mon-ctl create -f ${output}`,
    );
  await writeImport(session, resources, report);
};
