// Ranks what the search finds; search_index.py says what the index holds.
// Sphinx puts this file into the page of the search, behind its own script.

stopwords.push(
  ..."am an between can do does did from get give had has have how i its me mean my our so than use used we what when where which who why with would you your".split(" ")
);

// Places with a name: the larger the share of its words that was asked for,
// the better; the glossary comes behind the section that it leads to, and an
// exercise behind the text.
const namedPlaces = (asked) =>
  Search._index.entries.flatMap(([name, page, anchor, title]) => {
    const words = [...new Set(name.split(" "))];
    const met = asked.filter((word) => words.includes(word)).length;
    if (met < asked.length * 0.6) return [];
    const share = (met * met) / (asked.length * words.length);
    const whole = Search._index.titles[page];
    const isExercise = share < 1 && title.startsWith("Exercise");
    const isWord = Search._index.docnames[page].endsWith("/glossary");
    return [[
      page,
      title === whole || isWord ? title : `${whole} > ${title}`,
      anchor && `#${anchor}`,
      isWord ? "glossary" : null,
      20 + 80 * share - isWord - 15 * isExercise,
    ]];
  });

// Pages that hold most of the words: a title counts more than a text, and the
// page that has a word most often more than the next.
const pagesWith = (asked) => {
  const { terms, titleterms } = Search._index;
  const scores = new Map();
  const add = (page, word, score) => {
    const found = scores.get(page) ?? scores.set(page, {}).get(page);
    found[word] = Math.max(found[word] ?? 0, score);
  };
  const alike = (word) =>
    terms[word] || word.length < 3
      ? [word]
      : Object.keys(terms).filter((term) => term.includes(word));
  for (const word of asked) {
    [titleterms[word] ?? []].flat().forEach((page) => add(page, word, 15));
    for (const like of alike(word))
      (terms[like] ?? []).forEach((page, i) => add(page, word, 5 + 9 / (1 + i)));
  }
  const most = Math.max(...[...scores.values()].map((s) => Object.keys(s).length));
  return [...scores]
    .filter(([, found]) => Object.keys(found).length === most)
    .map(([page, found]) => {
      const sum = Object.values(found).reduce((a, b) => a + b);
      return [page, Search._index.titles[page], "", null, sum / asked.length];
    });
};

Search.performTermsSearch = (words) => {
  const asked = [...words];
  const { docnames, filenames } = Search._index;
  return [...namedPlaces(asked), ...pagesWith(asked)]
    .map(([page, ...rest]) => [docnames[page], ...rest, filenames[page]])
    .sort((a, b) => b[4] - a[4])
    .slice(0, 20); // an excerpt is fetched for each
};

// Excerpts of the text alone.
Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page
    .querySelectorAll(".math, .cell_output, .headerlink, h1")
    .forEach((part) => part.remove());
  const part = anchor && page.getElementById(anchor.slice(1));
  return (part || page.querySelector("article"))?.textContent ?? "";
};
