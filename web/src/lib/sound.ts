// Two short tones. Browsers let a page sound only after somebody has touched it.
let context: AudioContext | undefined;

const tone = (on: AudioContext, hertz: number, atSeconds: number): void => {
  const wave = on.createOscillator();
  const loudness = on.createGain();
  wave.frequency.value = hertz;
  loudness.gain.setValueAtTime(0, atSeconds);
  loudness.gain.linearRampToValueAtTime(0.25, atSeconds + 0.02);
  loudness.gain.linearRampToValueAtTime(0, atSeconds + 0.28);
  wave.connect(loudness).connect(on.destination);
  wave.start(atSeconds);
  wave.stop(atSeconds + 0.3);
};

/** Resolves to whether it was to be heard. */
export const playAlarm = async (): Promise<boolean> => {
  context ??= new AudioContext();
  if (context.state === 'suspended')
    await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 300))]);
  if (context.state !== 'running') return false;
  tone(context, 880, context.currentTime);
  tone(context, 660, context.currentTime + 0.3);
  return true;
};
