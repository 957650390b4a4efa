// How many entries a private collection holds: for what must not be kept, and shows nowhere else.
import { Session } from 'node:inspector';

interface Remote {
  readonly objectId?: string;
  readonly description?: string;
}

interface Answer {
  readonly result?: Remote;
  readonly privateProperties?: readonly { readonly name: string; readonly value?: Remote }[];
}

const heldAs = '__privateSize';

/** `privateSize(backend, '#jobs', '#known')`: of the Map or Set in `#known` of the object in `#jobs`. */
export const privateSize = (owner: object, ...fields: readonly string[]): number => {
  const session = new Session();
  session.connect();
  const ask = (method: string, parameters: object): Answer => {
    let answer: Answer | undefined;
    // It answers before it returns: it asks the thread it runs on.
    session.post(method, parameters, (error, found) => {
      if (error === null) answer = found as Answer;
    });
    if (answer === undefined) throw new Error(`${method} was not answered`);
    return answer;
  };
  try {
    Object.assign(globalThis, { [heldAs]: owner });
    let value = ask('Runtime.evaluate', { expression: heldAs }).result;
    for (const field of fields) {
      const { privateProperties = [] } = ask('Runtime.getProperties', {
        objectId: value?.objectId,
        ownProperties: true,
      });
      value = privateProperties.find(({ name }) => name === field)?.value;
      if (value === undefined) throw new Error(`there is no field ${field}`);
    }
    const [, size] = /^(?:Map|Set)\((\d+)\)$/.exec(value?.description ?? '') ?? [];
    if (size === undefined) throw new Error(`${fields.join('.')} is no Map or Set`);
    return Number(size);
  } finally {
    Reflect.deleteProperty(globalThis, heldAs);
    session.disconnect();
  }
};
