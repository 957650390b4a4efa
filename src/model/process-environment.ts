// Controls which environment variables of the backend reach other programs and definitions. The environment also
// contains backend settings such as passwords and store URLs, so commands get a short list and definitions cannot
// read settings.

type Variables = Readonly<Record<string, string | undefined>>;

const settingPrefix = 'MON_BACKEND_';

/** Whether a variable is a backend setting (`MON_BACKEND_*`). Definitions must not read these. */
export const isBackendSetting = (name: string): boolean => name.toUpperCase().startsWith(settingPrefix);

/** Variables that programs need for paths, locale and time zone; the last line is for Windows. */
const passedOn: ReadonlySet<string> = new Set([
  ...['PATH', 'LD_LIBRARY_PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE'],
]);

const isPassedOn = (name: string): boolean => {
  const key = process.platform === 'win32' ? name.toUpperCase() : name;
  return passedOn.has(key) || key.startsWith('LC_');
};

/** The base environment of handler and mutator commands. */
export const commandVariables = (env: Variables): Readonly<Record<string, string>> => {
  const passed: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isPassedOn(name)) passed[name] = value;
  return passed;
};
