// A view whose code is fetched when it is first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../parts/bits.tsx';

export const lazyView = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let found: ComponentType<P> | undefined;
  return (props: P) => {
    const [view, setView] = useState<{ readonly it: ComponentType<P> } | undefined>(found && { it: found });
    const [isBroken, setBroken] = useState(false);
    useEffect(() => {
      if (view !== undefined) return;
      load().then(
        (it) => {
          found = it;
          setView({ it });
        },
        () => setBroken(true),
      );
    }, []);
    if (isBroken)
      return <Problem text="This part of the page could not be loaded." again={() => location.reload()} />;
    if (view === undefined) return null;
    const View = view.it;
    return <View {...props} />;
  };
};
