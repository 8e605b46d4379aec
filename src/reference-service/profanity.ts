type IsProfane = (text: string) => boolean;

/** Tells profane English names from others; the words are loaded when it is asked for the first time. */
export function createProfanityCheck(): () => Promise<IsProfane> {
  let loading: Promise<IsProfane> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

async function load(): Promise<IsProfane> {
  const { englishDataset, englishRecommendedTransformers, RegExpMatcher } = await import('obscenity');
  const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers });
  return (text) => matcher.hasMatch(text);
}
