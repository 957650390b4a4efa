// Process environment: which variables of the backend's own process other programs and definitions may see. The backend's
// settings come by environment too, passwords and store URLs among them, so commands get a short list and no definition
// reads a setting.

type Variables = Readonly<Record<string, string | undefined>>;

const settingPrefix = 'MON_BACKEND_';

/** Whether a variable is a setting of the backend (`MON_BACKEND_*`), which no definition may read. */
export const isBackendSetting = (name: string): boolean => name.toUpperCase().startsWith(settingPrefix);

/** What a program needs to find its files, speak its language and tell the time; the last line is for Windows. */
const passedOn: ReadonlySet<string> = new Set([
  ...['PATH', 'LD_LIBRARY_PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE'],
]);

const isPassedOn = (name: string): boolean => {
  const key = process.platform === 'win32' ? name.toUpperCase() : name;
  return passedOn.has(key) || key.startsWith('LC_');
};

/** The variables commands of handlers and mutators start from. */
export const commandVariables = (env: Variables): Readonly<Record<string, string>> => {
  const passed: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isPassedOn(name)) passed[name] = value;
  return passed;
};
